// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runner.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>

#include <hocket/hocket.hpp>

#include "bodies.hpp"
#include "interpreter.hpp"

namespace hocket::seeded {

namespace {

/// Submits tasks on data of their own, and waits for them: from within one.
void ask(runtime& rt, int levels, bool may_fail) {
  const matrix own(rt, shape<2>{1, 2}, "own");
  const bodies& b = all_bodies();
  const future<void> made = rt.submit(b.w0, number{levels}, number{0}, writes(own));
  const auto ask_less = [&rt, levels, may_fail](target) { ask(rt, levels - 1, may_fail); };
  const future<void> deeper =
      levels > 1 ? rt.submit(ask_less, updates(own.tile({0, 0}, {1, 1}))) : made;
  const future<number> mixed = rt.submit(b.v, number{levels}, number{0}, reads(own));
  try {
    deeper.get();
    mixer first(levels), second(levels);
    for (std::size_t i = 0; i < 2; ++i) second.read(first.write(i, 0));
    if (mixed.get() != second.result()) throw std::logic_error("the answer is wrong");
  } catch (const error&) {
    if (!may_fail) throw;
  }
}

/// Submits a function, whatever the numbers and parts of buffers are that it takes.
template <class Constant>
future<void> submit_function(submitter& to, const task_options& o, const Constant& c, number t,
                             const std::vector<tile>& in, const tile& out_part, bool updates_it,
                             const std::function<void()>& before) {
  if (in.empty() && updates_it) {
    return to.submit(
        o,
        [before](number k, number f, target out) {
          before();
          mix_into<true>(k, f, out);
        },
        c, t, updates(out_part));
  }
  if (in.empty()) {
    return to.submit(
        o,
        [before](number k, number f, target out) {
          before();
          mix_into<false>(k, f, out);
        },
        c, t, writes(out_part));
  }
  if (in.size() == 1 && updates_it) {
    return to.submit(
        o,
        [before](number k, number f, source a, target out) {
          before();
          mix_into<true>(k, f, out, a);
        },
        c, t, reads(in[0]), updates(out_part));
  }
  if (in.size() == 1) {
    return to.submit(
        o,
        [before](number k, number f, source a, target out) {
          before();
          mix_into<false>(k, f, out, a);
        },
        c, t, reads(in[0]), writes(out_part));
  }
  if (updates_it) {
    return to.submit(
        o,
        [before](number k, number f, source a, source b, target out) {
          before();
          mix_into<true>(k, f, out, a, b);
        },
        c, t, reads(in[0]), reads(in[1]), updates(out_part));
  }
  return to.submit(
      o,
      [before](number k, number f, source a, source b, target out) {
        before();
        mix_into<false>(k, f, out, a, b);
      },
      c, t, reads(in[0]), reads(in[1]), writes(out_part));
}

/// Runs one program on a runtime that others may use as well.
class runner {
 public:
  runner(runtime& rt, const program& made, const run_settings& settings)
      : program_(made), settings_(settings), rt_(rt), expected_(made) {
    if (settings.disturb) disturbance_ = settings.disturb(rt, made, settings);
    for (std::size_t i = 0; i < made.buffers.size(); ++i) {
      buffers_.emplace_back(rt_, shape<2>{made.buffers[i].rows, made.buffers[i].columns}, number{0},
                            "b" + std::to_string(i));
    }
    if (made.budget > 0) budget_.emplace(rt_, static_cast<std::uint64_t>(made.budget));
    for (const device_info& each : rt_.devices()) devices_.push_back(rt_.device(each.name));
  }

  std::string run() {
    for (index_ = 0; index_ < program_.steps.size() && wrong_.empty(); ++index_) {
      futures_.emplace_back();
      values_.emplace_back();
      if (disturbance_ != nullptr) disturbance_->before_step();
      perform(program_.steps[index_]);
      if (!settings_.looks_at_memory) continue;
      if (const std::string what = wrong_memory(rt_); !what.empty()) fail(what);
    }
    if (wrong_.empty()) settle_outcomes(program_.steps.size());
    if (wrong_.empty()) compare_buffers();
    if (disturbance_ != nullptr && wrong_.empty()) wrong_ = disturbance_->check();
    return wrong_;
  }

 private:
  void fail(const std::string& what) {
    if (wrong_.empty() && !has_lost_track_) wrong_ = "step " + std::to_string(index_) + ": " + what;
  }

  tile region_of(const part& p) const {
    return buffers_[p.buffer].tile({p.row, p.column}, {p.row + p.rows, p.column + p.columns});
  }

  template <class Futures>
  task_options options_for(const step& s, const Futures& futures) {
    task_options o;
    o.label = "s" + std::to_string(index_);
    o.priority = s.priority;
    if (s.device >= 0 && static_cast<std::size_t>(s.device) < devices_.size()) {
      // A device that rests for long would keep its tasks.
      const bool rests = disturbance_ != nullptr && disturbance_->rests_long();
      o.on = devices_[rests ? 0 : static_cast<std::size_t>(s.device)];
      o.in_order = s.in_order;
    }
    if (s.timeout > 0) o.timeout = std::chrono::microseconds(s.timeout);
    if (s.takes_token) o.stop = stop_.get_token();
    for (const std::size_t other : s.after) o.after.push_back(futures[other]);
    if (s.takes > 0) o.takes = budget_->share(static_cast<std::uint64_t>(s.takes));
    if (s.returns >= 0) o.returns.push_back(futures[static_cast<std::size_t>(s.returns)]);
    return o;
  }

  void before_wait() {
    if (disturbance_ != nullptr) disturbance_->before_wait();
  }

  template <class Constant>
  future<void> submit_mix(submitter& to, const step& s, const task_options& o, const Constant& c) {
    const bodies& b = all_bodies();
    const number t = s.throws ? 1 : 0;
    const tile out_part = region_of(s.uses.back().where);
    const bool updates_it = s.uses.back().mode == access_mode::update;
    std::vector<tile> in;
    for (std::size_t i = 0; i + 1 < s.uses.size(); ++i) in.push_back(region_of(s.uses[i].where));
    if (s.what == kind::host_function)
      return submit_function(to, o, c, t, in, out_part, updates_it, asking(s.asks));
    if (updates_it) {
      if (in.empty()) return to.submit(o, b.u0, c, t, updates(out_part));
      if (in.size() == 1) return to.submit(o, b.u1, c, t, reads(in[0]), updates(out_part));
      return to.submit(o, b.u2, c, t, reads(in[0]), reads(in[1]), updates(out_part));
    }
    if (in.empty()) return to.submit(o, b.w0, c, t, writes(out_part));
    if (in.size() == 1) return to.submit(o, b.w1, c, t, reads(in[0]), writes(out_part));
    return to.submit(o, b.w2, c, t, reads(in[0]), reads(in[1]), writes(out_part));
  }

  /// What a host function does before the rest.
  std::function<void()> asking(int levels) {
    if (levels == 0) return [] {};
    // A task that was cancelled or timed out may run when this is gone.
    return [&rt = rt_, levels, may_fail = program_.loses_devices] { ask(rt, levels, may_fail); };
  }

  /// Submits a step with a future, for now or for a recording.
  void submit(submitter& to, const step& s, std::vector<future<void>>& futures,
              std::vector<future<number>>& values) {
    const task_options o = options_for(s, futures);
    const number t = s.throws ? 1 : 0;
    switch (s.what) {
      case kind::value: {
        values.back() =
            to.submit(o, all_bodies().v, s.constant, t, reads(region_of(s.uses[0].where)));
        futures.back() = future<void>(values.back().state());
        break;
      }
      case kind::reduction:
        futures.back() =
            to.submit(o, all_bodies().u1, s.constant, t, reads(region_of(s.uses[0].where)),
                      reduces(region_of(s.uses[1].where), plus{}));
        break;
      case kind::plain: {
        task_options plain = o;
        plain.on = std::nullopt;
        futures.back() = to.async(plain, [t] {
          if (t != 0) throw planned_failure();
        });
        break;
      }
      default:
        if (s.number_from >= 0) {
          // The constant of the step is added on the host side, by the future that is passed.
          futures.back() = submit_mix(to, s, o, sum_of(to, s, values));
        } else {
          futures.back() = submit_mix(to, s, o, s.constant);
        }
    }
  }

  /// A future of the earlier value plus the constant.
  future<number> sum_of(submitter& to, const step& s, const std::vector<future<number>>& values) {
    const auto& earlier = values[static_cast<std::size_t>(s.number_from)];
    static const kernel<returns<number>, number, number> add{
        "add", host_body{[](number a, number b) { return a + b; }}};
    return to.submit(task_options{.label = "add"}, add, earlier, s.constant);
  }

  void perform(const step& s) {
    switch (s.what) {
      case kind::graph:
        return run_graph(s);
      case kind::choice:
        futures_.back() = submit_choice(here(), s);
        return;
      case kind::open_scope:
        scope_.emplace(rt_);
        scope_begin_ = index_;
        return;
      case kind::end_scope:
        return end_scope(s.cancels);
      case kind::view:
        return open_view(s);
      case kind::cancel:
        if (futures_[s.target].valid()) {
          futures_[s.target].cancel();
          uncertain_.insert(s.target);
        }
        return;
      case kind::pass_time:
        if (disturbance_ != nullptr) disturbance_->pass_time(s.count);
        return;
      case kind::lose_device:
        if (disturbance_ != nullptr) disturbance_->lose_device(s.target);
        return;
      case kind::stop_token:
        stop_.request_stop();
        stopped_ = true;
        return;
      default:
        submit(here(), s, futures_, values_);
        if (s.timeout > 0) uncertain_.insert(index_);
    }
  }

  [[nodiscard]] submitter& here() {
    if (scope_) return *scope_;
    return rt_;
  }

  void end_scope(bool cancels) {
    if (cancels) {
      for (std::size_t i = scope_begin_; i < index_; ++i) uncertain_.insert(i);
      scope_->cancel();
    }
    settle_outcomes(index_);
    before_wait();
    try {
      scope_->wait();
    } catch (const std::exception&) {
      // The failures of the tasks were compared by settle_outcomes().
    }
    scope_.reset();
  }

  [[nodiscard]] graph recorded(const std::vector<step>& steps, bool batched = false) {
    return rt_.record({.batch = batched}, [&](submitter& to) {
      std::vector<future<void>> futures;
      std::vector<future<number>> values;
      for (const step& inner : steps) {
        futures.emplace_back();
        values.emplace_back();
        if (inner.what == kind::choice) {
          futures.back() = submit_choice(to, inner);
        } else {
          submit(to, inner, futures, values);
        }
      }
    });
  }

  void run_graph(const step& s) {
    bool batched = s.batched;
    if (batched) {
      // Tasks that become one fail together: only where none does is it known what they leave.
      settle_outcomes(index_);
      batched = wrong_.empty() && !interpreter(expected_).apply_graph(index_);
    }
    if (s.one_by_one) settle_outcomes(index_);
    const graph g = recorded(s.recorded, batched);
    std::vector<future<void>> runs;
    for (std::size_t i = 0; i < s.count; ++i) {
      runs.push_back(here().run(g));
      if (s.one_by_one) before_wait();
      if (s.one_by_one) runs.back().wait();
    }
    futures_.back() = when_all(runs);
  }

  future<void> submit_choice(submitter& to, const step& s) {
    std::vector<graph> graphs;
    for (const std::vector<step>& body : s.bodies) graphs.push_back(recorded(body));
    run_options o;
    o.label = "s" + std::to_string(index_);
    o.priority = s.priority;
    const auto asks = when(
        [s](const source& from) {
          mixer m(s.constant);
          read_all(m, from);
          return s.answer(m);
        },
        reads(region_of(s.uses[0].where)));
    switch (s.chooses) {
      case rule::one_of:
        return to.run_one_of(o, asks, graphs);
      case rule::while_odd:
        return to.run_while(o, asks, graphs[0], s.count);
      case rule::until_odd:
        return to.run_until(o, asks, graphs[0], s.count);
      default:
        if (graphs.size() == 1) return to.run_if(o, asks, graphs[0]);
        return to.run_if(o, asks, graphs[0], graphs[1]);
    }
  }

  /// True if tasks may fail because a device was lost.
  bool shows_loss() const {
    if (settings_.survives) return rt_.report(report_detail::counts).given_up > 0;
    return disturbance_ != nullptr && disturbance_->may_show();
  }
  /// Which tasks of several have failed for a loss is not known, nor what they leave.
  void follow(const failure& why) { has_lost_track_ = has_lost_track_ || (why && shows_loss()); }

  /// Brings the interpreter up to, and not including, the step.
  void settle_outcomes(std::size_t end) {
    close_views();
    before_wait();
    for (; settled_ < end && wrong_.empty(); ++settled_) {
      const step& s = program_.steps[settled_];
      if (!futures_[settled_].valid()) continue;
      const failure why = futures_[settled_].error();
      if (s.what == kind::graph) {
        check(expected_.apply_graph(settled_), why, uncertain_.contains(settled_));
        follow(why);
        continue;
      }
      if (s.what == kind::choice) {
        check(expected_.apply_choice(settled_, static_cast<bool>(why)), why,
              uncertain_.contains(settled_));
        follow(why);
        continue;
      }
      const bool free_to_fail = uncertain_.contains(settled_) || (s.takes_token && stopped_);
      check(expected_.must_fail(settled_), why, free_to_fail);
      expected_.apply(settled_, static_cast<bool>(why));
      if (!why && s.what == kind::value && values_[settled_].get() != expected_.value(settled_)) {
        fail("the value of step " + std::to_string(settled_) + " is wrong");
      }
    }
  }

  void check(bool must_fail, const failure& why, bool free_to_fail) {
    if (must_fail && !why) fail("step " + std::to_string(settled_) + " had to fail and did not");
    if (!must_fail && why && !free_to_fail && !shows_loss()) {
      fail("step " + std::to_string(settled_) + " failed: " + why.message());
    }
  }

  void open_view(const step& s) {
    const part& p = s.uses[0].where;
    const access_mode mode = s.uses[0].mode;
    // The view comes after all earlier steps, so that their outcomes may be waited for first.
    settle_outcomes(index_);
    if (!wrong_.empty()) return;
    try {
      open_views_.push_back(opened(p, mode, s.constant));
    } catch (const error& e) {
      // A lost device takes content with it that no task has failed for.
      if (expected_.good(p) && !shows_loss()) fail(std::string("a view failed: ") + e.what());
      if (mode == access_mode::update) expected_.poison(p);
      return;
    }
    if (!s.stays_open) close_views();
  }

  /// What is done when the view ends. Until then nothing may have changed under it.
  std::function<void()> opened(const part& p, access_mode mode, number constant) {
    if (mode == access_mode::read) {
      auto v = std::make_shared<host_view<const number, 2>>(region_of(p).read());
      compare(p, *v);
      return [this, p, v] { compare(p, *v); };
    }
    if (mode == access_mode::update) {
      auto v = std::make_shared<host_view<number, 2>>(region_of(p).update());
      compare(p, *v);
      return [this, p, v, constant] {
        compare(p, *v);
        change(p, *v, constant);
      };
    }
    auto v = std::make_shared<host_view<number, 2>>(region_of(p).write());
    return [this, p, v, constant] { change(p, *v, constant); };
  }

  void change(const part& p, const host_view<number, 2>& v, number constant) {
    for (std::size_t r = 0; r < p.rows; ++r) {
      for (std::size_t c = 0; c < p.columns; ++c) {
        v(r, c) = expected_.at(p.buffer, p.row + r, p.column + c).value + constant;
      }
    }
    expected_.change(p, constant);
  }

  void close_views() {
    for (const auto& end : std::exchange(open_views_, {})) end();
  }

  template <class View>
  void compare(const part& p, const View& v) {
    for (std::size_t r = 0; r < p.rows; ++r) {
      for (std::size_t c = 0; c < p.columns; ++c) {
        const cell& expected = expected_.at(p.buffer, p.row + r, p.column + c);
        if (!expected.good) return fail("a view of what was never written opened");
        if (v(r, c) != expected.value) {
          return fail("b" + std::to_string(p.buffer) + "(" + std::to_string(p.row + r) + ", " +
                      std::to_string(p.column + c) + ") is " + std::to_string(v(r, c)) +
                      " and not " + std::to_string(expected.value));
        }
      }
    }
  }

  /// Element by element, because a part that is not good hides its neighbours.
  void compare_buffers() {
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      for (std::size_t r = 0; r < program_.buffers[b].rows; ++r) {
        for (std::size_t c = 0; c < program_.buffers[b].columns; ++c) compare_element(b, r, c);
      }
    }
  }

  void compare_element(std::size_t b, std::size_t r, std::size_t c) {
    const part p{b, r, c, 1, 1};
    try {
      compare(p, region_of(p).read());
    } catch (const error& e) {
      if (expected_.good(p) && !shows_loss())
        fail(std::string("the end result is missing: ") + e.what());
    }
  }

  const program& program_;
  const run_settings& settings_;
  runtime& rt_;
  interpreter expected_;
  std::deque<matrix> buffers_;
  std::optional<budget> budget_;
  std::vector<device_handle> devices_;
  std::vector<future<void>> futures_;
  std::vector<future<number>> values_;
  std::set<std::size_t> uncertain_;
  std::vector<std::function<void()>> open_views_;
  std::stop_source stop_;
  std::optional<task_scope> scope_;
  std::size_t scope_begin_ = 0;
  bool stopped_ = false;
  bool has_lost_track_ = false;
  std::unique_ptr<disturbance> disturbance_;
  std::size_t index_ = 0;
  std::size_t settled_ = 0;
  std::string wrong_;
};

}  // namespace

std::string run_steps(runtime& rt, const program& made, const run_settings& settings) {
  return runner(rt, made, settings).run();
}

}  // namespace hocket::seeded
