// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <thread>

#include "conformance.hpp"

namespace hocket::testing {

TEST_P(conformance, describes_itself) {
  const device_info& info = first().info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_TRUE(info.name.starts_with(info.name.substr(0, info.name.size() - 1)));
  EXPECT_FALSE(info.backend.empty());
  EXPECT_FALSE(info.formats.empty());
  EXPECT_GE(info.lanes, 1U);
  EXPECT_GE(info.depth, 1U);
  EXPECT_GT(info.memory_bytes, 0U);
  EXPECT_GT(info.flops_per_second, 0);
  EXPECT_GT(info.memory_bytes_per_second, 0);
  EXPECT_GT(info.link_bytes_per_second, 0);
}

TEST_P(conformance, timelines_begin_at_zero_and_name_their_streams) {
  EXPECT_EQ(first().compute(0).time().completed(), 0U);
  EXPECT_EQ(first().compute(0).time().stream(), numbers().compute[0]);
  EXPECT_EQ(first().inbound().time().stream(), numbers().inbound);
  EXPECT_EQ(first().outbound().time().stream(), numbers().outbound);
}

TEST_P(conformance, a_stream_runs_its_commands_one_after_another) {
  if (!runs_host_bodies()) GTEST_SKIP() << needs_host_bodies;
  std::vector<int> order;
  timepoint last;
  for (int i = 0; i < 1000; ++i) {
    last = submit(first().compute(0), launch([&order, i](const host_launch&) {
                    order.push_back(i);  // no lock: the commands of a stream do not overlap
                  }));
  }
  finish(last);
  ASSERT_EQ(order.size(), 1000U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(sink.results(last.on->stream()).size(), 1000U);
}

TEST_P(conformance, commands_of_a_batch_end_after_its_end) {
  stream& lane = first().compute(0);
  const allocation data = put<float>(0, {1, 2, 3, 4});
  std::vector<float> seen(4);
  finish(submit(lane, nothing()));
  timepoint last, copied;
  for (int round = 0; round < 3; ++round) {
    lane.begin_batch();
    for (int i = 0; i < 50; ++i) last = submit(lane, nothing());
    copied = submit(first().outbound(),
                    whole_copy<float>(data, {seen.data(), data.bytes}, seen.size()), {last});
    lane.end_batch();
  }
  finish(copied);
  finish(last);
  EXPECT_FALSE(result(copied).why) << result(copied).why.message();
  EXPECT_EQ(seen, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(sink.results(last.on->stream()).size(), 151U);
  lane.begin_batch();
  lane.end_batch();
  finish(submit(lane, nothing()));
  memory().deallocate(data);
}

TEST_P(conformance, the_timeline_shows_a_command_before_the_sink_hears_of_it) {
  stream& lane = first().compute(0);
  std::atomic<bool> late{false};
  sink.react([&](stream_id, std::uint64_t value) {
    if (lane.time().completed() < value) late = true;
  });
  timepoint last;
  for (int i = 0; i < 100; ++i) last = submit(lane, nothing());
  finish(last);
  EXPECT_FALSE(late);
  EXPECT_TRUE(last.done());
}

TEST_P(conformance, a_command_waits_for_other_streams) {
  if (!runs_host_bodies()) GTEST_SKIP() << needs_host_bodies;
  std::vector<stream*> streams;
  for (std::size_t d = 0; d < devices(); ++d) {
    for (std::size_t lane = 0; lane < at(d).info().lanes; ++lane) {
      streams.push_back(&at(d).compute(lane));
    }
    streams.push_back(&at(d).inbound());
  }
  // Each command waits for the two before it, which are on other streams.
  std::vector<int> order;
  timepoint before, last;
  for (int i = 0; i < 500; ++i) {
    stream& next = *streams[static_cast<std::size_t>(i) % streams.size()];
    const timepoint made = submit(
        next, launch([&order, i](const host_launch&) { order.push_back(i); }), {last, before, {}});
    before = std::exchange(last, made);
  }
  finish(last);
  finish(before);
  EXPECT_EQ(order.size(), 500U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_GE(result(last).begin, result(before).end);
}

TEST_P(conformance, many_wait_for_one) {
  if (!runs_host_bodies()) GTEST_SKIP() << needs_host_bodies;
  bool opened = false;
  const timepoint gate =
      submit(first().inbound(), launch([&](const host_launch&) { opened = true; }));
  std::vector<timepoint> all;
  for (std::size_t d = 0; d < devices(); ++d) {
    for (std::size_t lane = 0; lane < at(d).info().lanes; ++lane) {
      all.push_back(submit(at(d).compute(lane), launch([&](const host_launch&) {
                             if (!opened) throw std::logic_error("too early");
                           }),
                           {gate}));
    }
  }
  for (const timepoint t : all) {
    finish(t);
    EXPECT_FALSE(result(t).why) << result(t).why.message();
  }
}

TEST_P(conformance, one_caller_at_a_time_may_be_any_thread) {
  if (!threads()) GTEST_SKIP() << "this executor belongs to one thread";
  if (!runs_host_bodies()) GTEST_SKIP() << needs_host_bodies;
  std::uint64_t count = 0;
  timepoint last;
  for (int i = 0; i < 20; ++i) {
    std::thread([&] {
      for (int j = 0; j < 50; ++j) {
        last = submit(first().compute(0), launch([&](const host_launch&) { ++count; }));
      }
    }).join();
  }
  finish(last);
  EXPECT_EQ(count, 1000U);
}

TEST_P(conformance, the_sink_may_submit) {
  stream& lane = first().compute(0);
  const stream_id id = lane.time().stream();
  sink.react([&](stream_id from, std::uint64_t value) {
    if (from == id && value < 300) submit(lane, nothing());
  });
  const timepoint start = submit(lane, nothing());
  finish({start.on, 300});
  EXPECT_EQ(lane.time().completed(), 300U);
}

TEST_P(conformance, a_device_goes_away_when_its_commands_are_done) {
  if (!runs_host_bodies()) GTEST_SKIP() << needs_host_bodies;
  const auto alive = std::make_shared<int>(0);
  const timepoint last = submit(first().compute(0), launch([alive](const host_launch&) {}));
  finish(last);
  EXPECT_EQ(alive.use_count(), 1) << "a command that has ended keeps nothing alive";
  devices_.clear();
  EXPECT_TRUE(sink.lost().empty());
}

}  // namespace hocket::testing
