// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <thread>

#include "conformance.hpp"

namespace hocket::testing {

#define HOCKET_NEEDS_LOSS() \
  if (!GetParam().lose) GTEST_SKIP() << "the test cannot lose a device of this backend"

TEST_P(conformance, an_idle_device_is_lost_once_and_says_no_more) {
  HOCKET_NEEDS_LOSS();
  lose(0);
  lose(0, {failure_code::device_lost, "Again."});
  sink.await_loss(*executor_, numbers().device);
  EXPECT_EQ(sink.lost().at(numbers().device).message(), "It is unplugged.");
  const timepoint never = submit(first().compute(0), nothing());
  if (devices() > 1) finish(submit(at(1).compute(0), nothing()));
  EXPECT_FALSE(never.done());
  EXPECT_TRUE(sink.results(never.on->stream()).empty());
}

TEST_P(conformance, a_device_is_lost_among_its_commands) {
  HOCKET_NEEDS_LOSS();
  timepoint copy, last;
  for (int i = 0; i < 500; ++i) {
    copy = submit(first().inbound(), whole_copy<float>({}, {}, 0), {last});
    last = submit(first().compute(0), nothing(), {copy});
  }
  // The sink checks that nothing is reported afterwards.
  finish({last.on, 100});
  lose(0);
  sink.await_loss(*executor_, numbers().device);
}

TEST_P(conformance, the_sink_may_end_a_device) {
  HOCKET_NEEDS_LOSS();
  timepoint last;
  const stream_id lane = numbers().compute[0];
  sink.react([&](stream_id from, std::uint64_t value) {
    if (from == lane && value == 100) lose(0);
  });
  for (int i = 0; i < 500; ++i) last = submit(first().compute(0), nothing());
  sink.await_loss(*executor_, numbers().device);
  // What ended together with it is told of in the same event.
  EXPECT_EQ(sink.results(lane).size(), sink.told_with(lane, 100));
}

TEST_P(conformance, who_waits_for_a_lost_device_fails_and_goes_on) {
  HOCKET_NEEDS_LOSS();
  if (!runs_host_bodies()) GTEST_SKIP() << needs_host_bodies;
  if (devices() < 2) GTEST_SKIP() << "one device";
  const auto go = std::make_shared<std::atomic<bool>>(!threads());
  const launch_work second{first().info().flops_per_second, 0};
  const auto body = [go](const host_launch&) {
    while (!*go) std::this_thread::yield();
  };
  const timepoint slow = submit(first().compute(0), launch(body, body_width::serial, second));
  const timepoint waits = submit(at(1).inbound(), nothing(), {slow});
  const timepoint waits_too = submit(at(1).inbound(), nothing(), {slow});
  const timepoint after = submit(at(1).inbound(), nothing());
  pause(std::chrono::milliseconds(1));
  lose(0);
  *go = true;
  finish(after);
  EXPECT_EQ(result(waits).why.code(), failure_code::device_lost);
  EXPECT_EQ(result(waits_too).why.code(), failure_code::device_lost);
  EXPECT_FALSE(result(after).why);
}

TEST_P(conformance, what_a_lost_device_had_done_is_done) {
  HOCKET_NEEDS_LOSS();
  if (devices() < 2) GTEST_SKIP() << "one device";
  const timepoint done = submit(first().compute(0), nothing());
  finish(done);
  const timepoint never = submit(first().compute(0), nothing());
  lose(0);
  const timepoint good = submit(at(1).compute(0), nothing(), {done});
  finish(good);
  EXPECT_FALSE(result(good).why);
  const timepoint bad = submit(at(1).compute(0), nothing(), {never});
  finish(bad);
  if (!result(bad).why) {
    EXPECT_TRUE(never.done());  // a thread was faster than the loss
    return;
  }
  EXPECT_EQ(result(bad).why.code(), failure_code::device_lost);
}

}  // namespace hocket::testing
