// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/streams/host_stream.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "commands.hpp"
#include "recording_sink.hpp"

namespace hocket::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Streams of one device, numbered from zero.
struct bench {
  explicit bench(executor& e, std::size_t count, const host_stream_options& options = {})
      : where(e), epoch(std::make_shared<host_epoch>(device_id{0}, sink)) {
    for (std::size_t i = 0; i < count; ++i) {
      host_stream_options own = options;
      own.id = {i};
      streams.push_back(std::make_unique<host_stream>(e, epoch, own));
    }
  }
  ~bench() {
    for (const auto& s : streams) s->close();
  }
  void finish() {
    for (const auto& [id, value] : last) sink.await(where, id, value);
  }
  timepoint add(std::size_t to, launch_command what, std::initializer_list<timepoint> after = {}) {
    const timepoint made = submit(*streams[to], std::move(what), after);
    last[made.on->stream()] = made.value;
    return made;
  }

  executor& where;
  recording_sink sink;
  std::shared_ptr<host_epoch> epoch;
  std::vector<std::unique_ptr<host_stream>> streams;
  submitter submit;
  std::map<stream_id, std::uint64_t> last;
};

host_stream_options lasting(nanoseconds time) {
  host_stream_options made;
  made.duration = [time](const command&) { return time; };
  return made;
}

std::unique_ptr<tbb_executor> threads() {
  return std::make_unique<tbb_executor>(std::make_shared<const host_topology>());
}

/// Commands on random streams that wait for two random earlier ones, each of which has to have left
/// its mark.
void run_random_waits(executor& where, std::uint64_t seed, const host_stream_options& options) {
  constexpr std::size_t commands = 400;
  bench b(where, 5, options);
  seeded_stream random(seed);
  std::vector<timepoint> made;
  std::vector<std::uint8_t> ran(commands, 0);  // no atomics: the waits order all accesses
  for (std::size_t i = 0; i < commands; ++i) {
    const std::size_t x = random.below(i + 1), y = random.below(i + 1);
    const auto body = [&ran, i, x, y](const host_launch&) {
      if ((x < i && ran[x] == 0) || (y < i && ran[y] == 0)) throw std::logic_error("too early");
      ran[i] = 1;
    };
    made.push_back(b.add(random.below(5), launch(body),
                         {x < i ? made[x] : timepoint(), y < i ? made[y] : timepoint()}));
  }
  b.finish();
  for (const auto& s : b.streams) {
    for (const auto& r : b.sink.results(s->time().stream())) ASSERT_FALSE(r.why) << seed;
  }
}

TEST(host_stream, waits_for_other_streams_on_any_seed) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    seeded_executor where(
        {.seed = seed, .delay_probability = 0.2, .longest_delay = microseconds(3)});
    run_random_waits(where, seed, seed % 2 == 0 ? lasting(microseconds(1)) : host_stream_options());
  }
}

TEST(host_stream, waits_for_other_streams_on_threads) {
  const auto where = threads();
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    run_random_waits(*where, seed,
                     seed % 3 == 0 ? lasting(microseconds(1)) : host_stream_options());
  }
}

TEST(host_stream, lasts_exactly_as_long_as_modelled_on_a_virtual_clock) {
  seeded_executor where;
  bench b(where, 2, lasting(milliseconds(3)));
  const timepoint one = b.add(0, nothing());
  b.add(0, nothing());
  b.add(1, nothing(), {one});
  b.finish();
  const auto results = b.sink.results({0});
  EXPECT_EQ(results[0].begin, milliseconds(0));
  EXPECT_EQ(results[0].end, milliseconds(3));
  EXPECT_EQ(results[1].begin, milliseconds(3));
  EXPECT_EQ(results[1].end, milliseconds(6));
  EXPECT_EQ(b.sink.result({1}, 1).end, milliseconds(6));
  EXPECT_EQ(where.now(), milliseconds(6));
}

TEST(host_stream, lasts_at_least_as_long_as_modelled_on_a_real_clock) {
  const auto where = threads();
  bench b(*where, 1, lasting(milliseconds(50)));
  b.add(0, nothing());
  b.add(0, launch([](const host_launch&) { std::this_thread::sleep_for(milliseconds(60)); }));
  b.finish();
  EXPECT_EQ(b.sink.result({0}, 1).end - b.sink.result({0}, 1).begin, milliseconds(50));
  EXPECT_GE(b.sink.result({0}, 2).end - b.sink.result({0}, 2).begin, milliseconds(60));
}

TEST(host_stream, begins_what_is_queued_when_the_command_before_ends_on_a_real_clock) {
  const auto where = threads();
  std::promise<void> queued;
  bench b(*where, 2, lasting(milliseconds(2)));
  b.add(0, launch([all = queued.get_future().share()](const host_launch&) { all.wait(); }));
  for (int i = 0; i < 2; ++i) b.add(0, nothing());
  const timepoint other =
      b.add(1, launch([](const host_launch&) { std::this_thread::sleep_for(milliseconds(10)); }));
  b.add(0, nothing(), {other});
  queued.set_value();
  b.finish();
  const auto results = b.sink.results({0});
  EXPECT_EQ(results[1].begin, results[0].end);
  EXPECT_EQ(results[2].begin, results[1].end);
  EXPECT_GE(results[3].begin, b.sink.result({1}, 1).end);
}

TEST(host_stream, lets_others_have_their_turn) {
  seeded_executor where({.seed = 3});
  bench b(where, 2);
  for (int i = 0; i < 5000; ++i) b.add(0, nothing());
  b.add(1, nothing());
  b.sink.await(where, {1}, 1);
  EXPECT_LT(b.sink.results({0}).size(), 5000U);
  b.finish();
}

TEST(host_stream, does_what_it_is_told_to_do_instead) {
  seeded_executor where;
  int calls = 0;
  host_stream_options options;
  options.perform = [&](const command&) {
    return ++calls == 2 ? failure(failure_code::task_failed, "The second.") : failure();
  };
  bench b(where, 1, options);
  for (int i = 0; i < 3; ++i) {
    b.add(0, launch([](const host_launch&) { ADD_FAILURE(); }));
  }
  b.finish();
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(b.sink.result({0}, 1).why);
  EXPECT_EQ(b.sink.result({0}, 2).why.message(), "The second.");
}

/// A launch whose body waits until the gate is opened that it puts there.
launch_command waiting(executor& where, std::shared_ptr<executor::gate>& at) {
  launch_command made = launch([&](const host_launch&) {
    where.wait([&](auto gate) { at = std::move(gate); });
    at.reset();
  });
  made.may_leave = true;
  return made;
}

/// The first two commands wait for what the third does.
void leave_and_end(executor& where, const host_stream_options& options = {}) {
  bench b(where, 1, options);
  std::shared_ptr<executor::gate> gates[2];
  b.add(0, waiting(where, gates[0]));
  b.add(0, waiting(where, gates[1]));
  b.add(0, launch([&](const host_launch&) {
          for (const auto& gate : gates) gate->open();
        }));
  b.sink.await_end_apart(where, {0}, 1);
  b.sink.await_end_apart(where, {0}, 2);
  b.finish();
  EXPECT_EQ(b.streams.front()->time().completed(), 3U);
  EXPECT_FALSE(b.sink.has_left({0}, 3));
  for (const std::uint64_t value : {1U, 2U}) {
    EXPECT_FALSE(b.sink.result_apart({0}, value).why);
    EXPECT_GE(b.sink.result_apart({0}, value).end, b.sink.result({0}, 3).begin);
    EXPECT_LE(b.sink.result_apart({0}, value).begin, b.sink.result({0}, value).end);
  }
}

TEST(host_stream, goes_on_without_who_waits_on_any_seed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    seeded_executor where({.seed = seed});
    leave_and_end(where);
  }
}

TEST(host_stream, goes_on_without_who_waits_on_threads) {
  const auto where = threads();
  for (int round = 0; round < 300; ++round) {
    leave_and_end(*where, round % 2 == 0 ? host_stream_options() : lasting(microseconds(1)));
  }
}

TEST(host_stream, tells_the_failure_of_who_has_left) {
  seeded_executor where;
  bench b(where, 1, lasting(milliseconds(5)));
  launch_command fails = launch([&](const host_launch&) {
    (void)where.wait([](const auto&) {}, where.now() + milliseconds(2));
    throw std::runtime_error("after its wait");
  });
  fails.may_leave = true;
  b.add(0, std::move(fails));
  b.finish();
  b.sink.await_end_apart(where, {0}, 1);
  const command_result how = b.sink.result_apart({0}, 1);
  EXPECT_EQ(how.why.message(), "Kernel \"test\" fails: after its wait");
  EXPECT_EQ(how.end, milliseconds(5)) << "as long as it is modelled";
}

TEST(host_stream, stays_with_what_may_not_leave) {
  seeded_executor where;
  bench b(where, 1);
  b.add(0, launch([&](const host_launch&) {
          (void)where.wait([](const auto&) {}, where.now() + milliseconds(2));
        }));
  b.add(0, nothing());
  b.finish();
  EXPECT_FALSE(b.sink.has_left({0}, 1));
  EXPECT_EQ(b.sink.result({0}, 2).begin, milliseconds(2));
}

TEST(host_stream, goes_on_after_it_has_run_dry) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    seeded_executor where({.seed = seed});
    bench b(where, 1);
    for (int i = 0; i < 3; ++i) {
      const timepoint one = b.add(0, nothing());
      where.run_until_idle();
      EXPECT_TRUE(one.done());
    }
  }
}

TEST(host_stream, shows_what_has_ended_before_it_reports_it) {
  seeded_executor where;
  bench b(where, 1);
  b.sink.react([&](stream_id, std::uint64_t value) {
    EXPECT_EQ(b.streams.front()->time().completed(), value);
  });
  for (int i = 0; i < 3; ++i) b.add(0, nothing());
  b.finish();
}

TEST(host_stream, reports_nothing_once_it_is_closed) {
  seeded_executor where;
  bench b(where, 1, lasting(milliseconds(3)));
  const timepoint one = b.add(0, nothing());
  while (where.now() < milliseconds(3) && b.sink.results({0}).empty()) {
    if (!where.step()) break;
    b.streams.front()->close();
  }
  where.run_until_idle();
  EXPECT_FALSE(one.done());
  EXPECT_TRUE(b.sink.results({0}).empty());
}

TEST(host_stream, closing_waits_for_what_runs_and_drops_the_rest) {
  // Enough for half a second, however busy the machine is.
  constexpr int many = 2500;
  const auto where = threads();
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> started{0}, ended{0};
    {
      bench b(*where, 2);
      const auto body = [&](const host_launch&) {
        ++started;
        std::this_thread::sleep_for(microseconds(200));
        ++ended;
      };
      const timepoint first = b.add(0, launch(body));
      for (int i = 0; i < many; ++i) b.add(1, launch(body), {first});
      while (started == 0) std::this_thread::yield();
    }
    const int then = ended;
    EXPECT_EQ(started, then);
    EXPECT_LE(then, many);
    std::this_thread::sleep_for(microseconds(300));
    EXPECT_EQ(started, then);
  }
}

TEST(host_stream, that_is_lost_runs_no_more_whatever_it_waits_for) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    seeded_executor where({.seed = seed});
    bench b(where, 3, lasting(microseconds(10)));
    int ran = 0;
    timepoint before;
    for (std::size_t i = 0; i < 60; ++i) {
      before = b.add(i % 3, launch([&](const host_launch&) { ++ran; }), {before});
    }
    for (std::uint64_t steps = seed; steps > 0; --steps) (void)where.step();
    b.epoch->end({failure_code::device_lost, "It is unplugged."});
    for (const auto& s : b.streams) s->wake_waiters();
    const int then = ran;
    b.add(0, launch([&](const host_launch&) { ++ran; }));
    where.run_until_idle();
    EXPECT_EQ(ran, then);
    EXPECT_EQ(b.sink.lost().size(), 1U);
  }
}

}  // namespace
}  // namespace hocket::testing
