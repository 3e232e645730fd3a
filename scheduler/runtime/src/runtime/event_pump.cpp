// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/event_pump.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <variant>
#include <vector>

#include "placement/shown.hpp"
#include "placement/submission.hpp"
#include "tasks/deadline.hpp"

namespace hocket::detail {

namespace {

// Driver work comes before the work that waits for it.
constexpr int high_priority = 1;

/// Carries out actions of the engine.
class performer {
 public:
  performer(event_pump& pump, device_set& devices, executor& where)
      : pump_(pump), devices_(devices), where_(where) {}

  void operator()(const placement::allocate_block& a) const {
    if (failure why = devices_.blocks().allocate(a)) {
      pump_.post(placement::allocation_failed{a.block, a.data, a.memory, std::move(why)});
    }
  }
  void operator()(const placement::free_block& a) const { devices_.blocks().free(a.block); }
  void operator()(const placement::lend_block& a) const { devices_.blocks().lend(a); }
  void operator()(const placement::put_aside& a) const {
    const device_blocks::block* const b = devices_.blocks().find(a.from);
    if (b != nullptr && !b->why) {
      a.to->read_from(static_cast<const std::byte*>(b->where.address()));
    } else {
      a.to->lacks_memory = true;
    }
  }
  void operator()(const placement::put_back& a) const {
    const device_blocks::block* const b = devices_.blocks().find(a.to);
    failure why;
    if (b == nullptr || b->why) {
      why = failure(failure_code::out_of_memory, "There is no room to put content back to.");
      if (b != nullptr) why = b->why;
    } else if (!a.from->write_to(static_cast<std::byte*>(b->where.address()), a.region)) {
      why = failure(failure_code::out_of_memory, "There was no memory to put its content aside.");
    }
    pump_.post(placement::view_released{a.task, std::move(why)});
  }
  void operator()(const placement::issue_copy& a) const { devices_.issue(a); }
  void operator()(const placement::issue_launch& a) const {
    const stream_id on = a.number.stream;
    // The engine hears of what comes after commands of other streams when it has heard of those. A
    // thread that polled this stream would wait for the next command in it meanwhile.
    a.task->handed_to(a.after.empty() ? on : stream_id{}, devices_.arena_of(on));
    devices_.issue(a);
  }
  void operator()(const placement::deliver& a) const {
    auto& task = static_cast<submission&>(*a.task);
    std::vector<void*> addresses;
    for (const block_id id : a.blocks) {
      const device_blocks::block* const b = devices_.blocks().find(id);
      if (b != nullptr && b->why) {
        return task.completed(placement::memory_reclaimer::no_room_for(task, b->why));
      }
      addresses.push_back(b == nullptr ? nullptr : b->where.address());
    }
    task.delivered(addresses);
  }
  void operator()(const placement::complete& a) const {
    auto& task = static_cast<submission&>(*a.task);
    if (a.runs_on) task.runs_on();
    task.completed(a.why);
  }
  void operator()(const placement::retire& a) const { static_cast<submission&>(*a.task).retired(); }
  void operator()(const placement::tell_run& a) const {
    using placement::run_news;
    switch (a.what) {
      case run_news::ended:
      case run_news::ended_but_bodies:
        return a.run->ended(a.why, a.what == run_news::ended_but_bodies);
      case run_news::bodies_ended:
        return a.run->bodies_ended();
      case run_news::retired:
        return a.run->retired();
    }
  }
  void operator()(const placement::start_timer& a) const {
    const time_stamp at = first_deadline(a.after, time_stamp::max(), where_);
    static_cast<launch_submission&>(*a.task).set_deadline(at);
  }
  void operator()(const placement::await_memory& a) const {
    where_.post_at(where_.now() + a.after,
                   [&pump = pump_, id = a.task] { pump.post(placement::memory_awaited{id}); });
  }
  void operator()(const placement::await_time& a) const {
    where_.post_at(where_.now() + a.after,
                   [&pump = pump_, part = a.part] { pump.post(placement::time_passed{part}); });
  }
  void operator()(const placement::await_probe& a) const {
    where_.post_at(where_.now() + a.after, [&pump = pump_, device = a.device] {
      pump.post(placement::rest_ended{device});
    });
  }
  void operator()(const placement::answer& a) const { a.tell(a.why); }
  void operator()(const placement::give_up_device& a) const { devices_.at(a.device).lose(a.why); }
  void operator()(const placement::keep_task& /*a*/) const {}
  void operator()(const placement::warn& a) const {
    std::fprintf(stderr, "hocket: %s\n", a.text.c_str());
  }

 private:
  event_pump& pump_;
  device_set& devices_;
  executor& where_;
};

}  // namespace

void event_pump::open(device_set& devices, const placement::trace_wishes& traces,
                      std::unique_ptr<placement::device_chooser> chooser,
                      placement::kept_costs* kept, const placement::recovery_limits& limits) {
  devices_ = &devices;
  engine_ = std::make_unique<placement::engine>(devices.description(), traces, std::move(chooser),
                                                kept, limits);
  needs_time_ = home_.trace() != nullptr || engine_->state().needs_time();
  // A task may end before its command, on another device.
  polls_ = !engine_->state().duplicates.is_on();
  std::vector<placement::device_gone> lost;
  {
    const std::lock_guard lock(guard_);
    has_engine_ = true;
    lost.swap(lost_early_);
  }
  for (placement::device_gone& each : lost) post(std::move(each));
}

void event_pump::inspect(const std::function<void(const placement::engine&)>& look) {
  home_.where().wait([&](const std::shared_ptr<executor::gate>& answered) {
    post(placement::inspected{[&look, answered](const placement::engine& e) {
      look(e);
      answered->open();
    }});
  });
}

void event_pump::return_content() {
  if (!has_engine_ || home_.lent()->is_empty()) return;
  home_.where().wait([&](const std::shared_ptr<executor::gate>& answered) {
    post(placement::return_asked{[answered](const failure&) { answered->open(); }});
  });
}

bool event_pump::is_idle(std::uint64_t& ended) {
  bool idle = false;
  inspect([&](const placement::engine& e) {
    idle = e.state().tasks.size() == 0 && e.state().commands.in_flight() == 0;
    ended = e.state().ended;
  });
  return idle;
}

bool event_pump::poll(const task_state& task, stream_id on) const noexcept {
  // A worker has other work.
  if (!polls_ || home_.where().inside()) return false;
  devices_->poll(on, [&task] { return task.done(); });
  return task.done();
}

bool event_pump::try_end(const std::function<bool()>& idle) {
  std::uint64_t ended = 0;
  if (!is_idle(ended) || !events_.try_own()) return false;
  if (idle()) return true;
  events_.resume();
  return false;
}

void event_pump::resume_later() {
  // The worker that takes over may be done before this has returned.
  home_.use_begins();
  home_.where().post(0, high_priority, [this] { events_.resume(); });
  home_.use_ends();
}

void event_pump::perform_actions() noexcept {
  const performer perform(*this, *devices_, home_.where());
  // Ends that are heard of together make room for many launches at once.
  constexpr std::ptrdiff_t many = 8;
  const bool batches = std::ssize(actions_) >= many &&
                       std::ranges::count_if(actions_, [](const placement::action& a) {
                         return std::holds_alternative<placement::issue_launch>(a);
                       }) >= many;
  if (batches) devices_->begin_batch();
  placement::show(actions_);
  for (const placement::action& a : actions_) std::visit(perform, a);
  if (batches) devices_->end_batch();
  actions_.clear();
}

void event_pump::completed(stream_id stream, std::uint64_t value, const command_result& how) {
  post(placement::command_ended{stream, value, how});
}

void event_pump::completed_in_a_row(stream_id stream, std::uint64_t first,
                                    std::span<const command_result> how) {
  post(placement::commands_ended{stream, first, {how.begin(), how.end()}});
}

void event_pump::left(stream_id stream, std::uint64_t value, time_stamp when) {
  post(placement::command_left{stream, value, when});
}

void event_pump::ended_apart(stream_id stream, std::uint64_t value, const command_result& how) {
  post(placement::command_ended_apart{stream, value, how});
}

void event_pump::device_lost(device_id device, const failure& why) {
  {
    const std::lock_guard lock(guard_);
    if (!has_engine_) return lost_early_.push_back({device, why});
  }
  post(placement::device_gone{device, why});
}

}  // namespace hocket::detail
