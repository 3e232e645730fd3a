// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Random graphs with parts, conditions, loops and tasks that throw do what running their tasks one
// after the other does.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "graph_program.hpp"
#include "seeds.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;

/// Records the items of a list. Derived says how tasks, values and questions are given.
template <class Derived>
class recording_of_programs {
 public:
  void record(submitter& s, const list& all) {
    std::vector<any_future> futures;
    std::vector<future<number>> values;
    for (const item& i : all) {
      future_list after;
      for (const std::size_t a : i.after) after.push_back(futures[a]);
      values.emplace_back();
      if (i.bodies.empty()) {
        const task_options how{.label = std::to_string(i.id), .after = after};
        futures.push_back(self().submit(s, how, i, values.back()));
        continue;
      }
      const run_options how{.label = std::to_string(i.id), .after = after};
      if (i.how == asks::earlier) {
        futures.emplace_back(choose(s, how, i, values[i.earlier]));
      } else {
        futures.emplace_back(self().ask(s, how, i));
      }
    }
  }

 protected:
  template <class Question>
  future<void> choose(submitter& s, const run_options& how, const item& i,
                      const Question& question) {
    const auto body = [&](std::size_t b) {
      return [this, &i, b](submitter& inner) { record(inner, i.bodies[b]); };
    };
    if constexpr (!std::is_same_v<Question, future<number>>) {
      if (i.what == kind::before_loop) return s.run_while(how, question, body(0), i.at_most);
      if (i.what == kind::after_loop) {
        return s.run_until(how, question, recorded(s, i.bodies[0]), i.at_most);
      }
    }
    if (i.what == kind::part) return s.run(how, recorded(s, i.bodies[0]));
    if (i.what == kind::choice) {
      std::vector<graph> graphs;
      for (const list& each : i.bodies) graphs.push_back(recorded(s, each));
      return s.run_one_of(how, question, graphs);
    }
    if (i.bodies.size() == 1) return s.run_if(how, question, body(0));
    return s.run_if(how, question, body(0), recorded(s, i.bodies[1]));
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  graph recorded(submitter& s, const list& all) {
    return s.home().record([&](submitter& inner) { record(inner, all); });
  }
};

/// All tasks are functions without accesses; what they read and write is ordered by the graph.
class of_functions : public recording_of_programs<of_functions> {
 public:
  of_functions(runtime& rt, const program& made)
      : cells(made.cells(), 0),
        all(rt.record([&](submitter& s) { record(s, made.all()); })),
        rt_(rt) {}

  bool run(number salt) {
    salt_ = salt;
    return !rt_.run(all).error();
  }
  /// Cancels a run from within, after so many tasks and questions, and returns how it ended.
  failure cancel_after(std::size_t calls) {
    calls_left_ = calls;
    under_way_ = rt_.run(all);
    const failure why = under_way_.error();
    calls_left_ = 0;
    return why;
  }

  any_future submit(submitter& s, const task_options& how, const item& i, future<number>& value) {
    value = s.async(how, [this, &i] { return small(update(i)); });
    return value;
  }
  future<void> ask(submitter& s, const run_options& how, const item& i) {
    return choose(s, how, i, [this, &i] { return answer_of(i, update(i)); });
  }

  std::vector<number> cells;
  const graph all;

 private:
  number update(const item& i) {
    if (calls_left_ != 0 && --calls_left_ == 0) under_way_.cancel();
    const auto [first, second] = read_from(i.reads, cells);
    return cells[i.cell] = computed(i, salt_, cells[i.cell], first, second);
  }

  runtime& rt_;
  number salt_ = 0;
  std::size_t calls_left_ = 0;
  future<void> under_way_;
};

/// All tasks have accesses, which order them; they run on any device.
class of_data : public recording_of_programs<of_data> {
 public:
  of_data(runtime& rt, const program& made)
      : rt_(rt),
        cells_(make_cells(rt, made.cells())),
        questions_(made.items(), 0),
        all_(rt.record([&](submitter& s) {
          // Some programs have no other task that takes the parameter.
          s.submit([](number, buffer_view<const number>) {}, salt_, reads(cells_.back()));
          record(s, made.all());
        })) {}

  [[nodiscard]] future<void> begin(number salt) { return rt_.run(all_, {salt_ = salt}); }

  /// Makes bad cells good; all of them, if nobody knows which ones are.
  void repair(reference& expected, bool all = false) {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (all || !expected.good[c]) cells_[c].write()[0] = expected.cells[c];
      expected.good[c] = true;
    }
  }

  void compare(const reference& expected) const {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (expected.good[c]) {
        ASSERT_EQ(cells_[c].read()[0], expected.cells[c]) << "cell " << c;
      } else {
        ASSERT_THROW((void)cells_[c].read(), error) << "cell " << c;
      }
    }
  }

  any_future submit(submitter& s, const task_options& how, const item& i, future<number>& value) {
    const auto [first, second] = two_of(i);
    if (i.what == kind::value) {
      const kernel<returns<number>, number, in_buffer<number>, in_buffer<number>> computes{
          "value",
          host_body{[&i](number salt, buffer_view<const number> a, buffer_view<const number> b) {
            return small(result_of(i, salt, 0, a, b));
          }}};
      value = s.submit(how, computes, salt_, reads(first), reads(second));
      return value;
    }
    const kernel<number, in_buffer<number>, in_buffer<number>, inout_buffer<number>> computes{
        "task",
        host_body{[&i](number salt, buffer_view<const number> a, buffer_view<const number> b,
                       buffer_view<number> own) { own[0] = result_of(i, salt, own[0], a, b); }}};
    return s.submit(how, computes, salt_, reads(first), reads(second), updates(cells_[i.cell]));
  }

  future<void> ask(submitter& s, const run_options& how, const item& i) {
    if (i.how == asks::function) {
      return choose(s, how, i,
                    [this, &i] { return answer_of(i, computed(i, ++questions_[i.id], 0, 0, 0)); });
    }
    const auto [first, second] = two_of(i);
    const auto asked = [&i](number salt, buffer_view<const number> a, buffer_view<const number> b) {
      return answer_of(i, result_of(i, salt, 0, a, b));
    };
    return choose(s, how, i, when(asked, salt_, reads(first), reads(second)));
  }

 private:
  static std::vector<buffer<number>> make_cells(runtime& rt, std::size_t count) {
    std::vector<buffer<number>> made;
    for (std::size_t c = 0; c < count; ++c) {
      made.emplace_back(rt, shape<1>{1}, number{0}, "cell " + std::to_string(c));
    }
    return made;
  }

  static number result_of(const item& i, number salt, number own, buffer_view<const number> a,
                          buffer_view<const number> b) {
    return computed(i, salt, own, i.reads.empty() ? 0 : a[0], i.reads.size() < 2 ? 0 : b[0]);
  }

  /// The cells that it reads; nobody's where they are less than two.
  [[nodiscard]] std::pair<buffer<number>, buffer<number>> two_of(const item& i) const {
    const auto cell = [&](std::size_t at) {
      return at < i.reads.size() ? cells_[i.reads[at]] : cells_.back();
    };
    return {cell(0), cell(1)};
  }

  runtime& rt_;
  std::vector<buffer<number>> cells_;
  std::vector<number> questions_;
  const run_parameter<number> salt_{0, "salt"};
  const graph all_;
};

runtime_options seeded(std::uint64_t seed) {
  static const auto topology = std::make_shared<const host_topology>();
  runtime_options options;
  options.clock = clock_kind::simulated;
  options.seed = seed;
  options.delay_probability = seed % 3 == 0 ? 0.2 : 0.0;
  options.longest_delay = nanoseconds(2000);
  options.topology = topology;
  options.backends = {{"cpu", "lanes=2"}, {"sim", "1,memory=64K"}};
  options.devices = seed % 2 == 0 ? "NUMA0,Sim0" : "NUMA0";
  options.data_tasks = seed % 4 == 1 ? data_path::in_place : data_path::automatic;
  return options;
}

void compare_functions(runtime& rt, std::uint64_t seed) {
  const program made(seed, false);
  of_functions real(rt, made);
  reference expected(made);
  for (number salt = 1; salt <= 4; ++salt) {
    ASSERT_EQ(real.run(salt), expected.run(made.all(), salt)) << "seed " << seed;
    ASSERT_EQ(real.cells, expected.cells) << "seed " << seed << ", run " << salt;
  }
}

void compare_data(runtime& rt, std::uint64_t seed) {
  const program made(seed, true);
  of_data real(rt, made);
  reference expected(made);
  const bool overlap = made.asks_data_alone();
  std::vector<future<void>> runs;
  std::vector<bool> well;
  for (number salt = 1; salt <= 3; ++salt) {
    runs.push_back(real.begin(salt));
    if (!overlap) runs.back().wait();
    well.push_back(expected.run(made.all(), salt));
    if (seed % 4 != 0) real.repair(expected);
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    ASSERT_EQ(!runs[r].error(), well[r]) << "run " << r << ": " << runs[r].error().message();
  }
  real.compare(expected);
}

TEST(RandomGraphs, OfFunctionsDoWhatOneByOneDoesForEverySeed) {
  for (std::uint64_t seed = 0; seed < testing::seeds_on_one_thread(3000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime rt(seeded(seed));
    compare_functions(rt, seed);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(RandomGraphs, OfDataDoWhatOneByOneDoesForEverySeed) {
  for (std::uint64_t seed = 0; seed < testing::seeds_on_one_thread(2000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime rt(seeded(seed));
    compare_data(rt, seed);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(RandomGraphs, AreRunAgainAfterTheyWereCancelled) {
  for (std::uint64_t seed = 0; seed < testing::seeds_on_one_thread(2000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime rt(seeded(seed));
    const program functions(seed, false);
    of_functions real(rt, functions);
    reference expected(functions);
    for (number salt = 1; salt <= 3; ++salt) {
      const failure why = real.cancel_after(1 + seed % 7);
      ASSERT_TRUE(!why || why.code() == failure_code::cancelled ||
                  why.code() == failure_code::task_failed)
          << why.message();
      real.cells = expected.cells;
      ASSERT_EQ(real.run(salt), expected.run(functions.all(), salt));
      ASSERT_EQ(real.cells, expected.cells);
    }
  }
}

TEST(RandomGraphs, OfDataAreRunAgainAfterTheyWereCancelled) {
  for (std::uint64_t seed = 0; seed < testing::seeds_on_one_thread(2000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime rt(seeded(seed));
    const program made(seed, true);
    if (!made.asks_data_alone()) continue;
    of_data real(rt, made);
    reference expected(made);
    for (number salt = 1; salt <= 3; ++salt) {
      const future<void> run = real.begin(salt);
      if (seed % 3 == 0) (void)run.wait_for(nanoseconds(100 * (seed % 64)));
      run.cancel();
      run.wait();
      expected.good.assign(expected.good.size(), true);
      real.repair(expected, true);
      const future<void> again = real.begin(salt);
      ASSERT_EQ(!again.error(), expected.run(made.all(), salt)) << again.error().message();
      real.compare(expected);
      if (::testing::Test::HasFatalFailure()) return;
      real.repair(expected);
    }
  }
}

void compare_over_threads(const std::string& devices) {
  runtime_options options;
  options.backends = {{"sim", "1,memory=64K"}};
  options.devices = devices;
  runtime rt(options);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare_functions(rt, seed);
    compare_data(rt, seed);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(RandomGraphs, DoSoOverThreads) { compare_over_threads("NUMA0,Sim0"); }

TEST(RandomGraphs, DoSoOverThreadsWhereTheHostsMemoryIsTheOnlyOne) {
  compare_over_threads("NUMA0");
}

}  // namespace
}  // namespace hocket
