// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/streams/host_epoch.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace hocket {
namespace {

const failure unplugged(failure_code::device_lost, "It is unplugged.");

/// Counts, and notes a report that begins or ends after the loss was told.
class strict_sink final : public completion_sink {
 public:
  void completed(stream_id, std::uint64_t, const command_result&) override { note(); }
  void left(stream_id, std::uint64_t, time_stamp) override { note(); }
  void ended_apart(stream_id, std::uint64_t, const command_result&) override { note(); }
  void device_lost(device_id, const failure& why) override {
    ++lost;
    told = why.message();
  }

  std::function<void()> within;
  std::string told;
  std::atomic<int> reports{0}, lost{0};
  std::atomic<bool> late{false};

 private:
  void note() {
    if (lost) late = true;
    ++reports;
    if (within) within();
    if (lost) late = true;
  }
};

TEST(host_epoch, reports_until_it_ends) {
  strict_sink sink;
  host_epoch epoch({0}, sink);
  EXPECT_TRUE(epoch.report({1}, 1, {}));
  epoch.end(unplugged);
  epoch.end(unplugged);
  EXPECT_TRUE(epoch.ended());
  EXPECT_FALSE(epoch.report({1}, 2, {}));
  EXPECT_EQ(sink.reports, 1);
  EXPECT_EQ(sink.lost, 1);
}

TEST(host_epoch, ends_for_the_reason_that_was_given_first) {
  strict_sink sink;
  host_epoch epoch({0}, sink);
  EXPECT_TRUE(epoch.enter());
  epoch.end(unplugged);
  epoch.end({failure_code::device_lost, "It is unplugged again."});
  EXPECT_EQ(sink.lost, 0) << "somebody is inside";
  epoch.leave();
  EXPECT_EQ(sink.lost, 1);
  EXPECT_EQ(sink.told, "It is unplugged.");
}

TEST(host_epoch, tells_of_who_leaves_until_it_ends) {
  strict_sink sink;
  host_epoch epoch({0}, sink);
  EXPECT_TRUE(epoch.report_left({1}, 1, {}));
  EXPECT_TRUE(epoch.report_ended_apart({1}, 1, {}));
  EXPECT_EQ(sink.reports, 2);
  epoch.end(unplugged);
  EXPECT_FALSE(epoch.report_left({1}, 2, {}));
  EXPECT_FALSE(epoch.report_ended_apart({1}, 2, {}));
  EXPECT_EQ(sink.reports, 2);
}

TEST(host_epoch, tells_of_several_in_a_row_or_of_none) {
  strict_sink sink;
  host_epoch epoch({0}, sink);
  const std::vector<command_result> three(3);
  EXPECT_TRUE(epoch.report_in_a_row({1}, 1, three));
  EXPECT_EQ(sink.reports, 3);
  ASSERT_TRUE(epoch.enter());
  ASSERT_TRUE(epoch.enter());
  epoch.end(unplugged);
  EXPECT_FALSE(epoch.report_in_a_row({1}, 4, three));
  EXPECT_EQ(sink.lost, 0);
  epoch.leave(2);
  EXPECT_EQ(sink.reports, 3);
  EXPECT_EQ(sink.lost, 1);
}

TEST(host_epoch, that_is_ended_by_the_sink_tells_it_after_the_report) {
  strict_sink sink;
  host_epoch epoch({0}, sink);
  sink.within = [&] { epoch.end(unplugged); };
  EXPECT_TRUE(epoch.report({1}, 1, {}));
  EXPECT_FALSE(sink.late);
  EXPECT_EQ(sink.lost, 1);
}

TEST(host_epoch, says_nothing_after_the_loss_whatever_threads_do) {
  for (int round = 0; round < 100; ++round) {
    strict_sink sink;
    host_epoch epoch({0}, sink);
    std::atomic<int> told{0};
    const auto report = [&](std::uint64_t stream) {
      for (std::uint64_t value = 1; epoch.report({stream}, value, {}); ++value) {
        ++told;
        if (value % 32 == 0) std::this_thread::yield();  // there may be fewer cores than threads
      }
    };
    std::thread one(report, 1), two(report, 2);
    while (told < 10) std::this_thread::yield();
    std::thread other([&] { epoch.end(unplugged); });
    epoch.end(unplugged);
    for (std::thread* t : {&one, &two, &other}) t->join();
    ASSERT_EQ(sink.lost, 1);
    ASSERT_EQ(sink.reports, told);
    ASSERT_FALSE(sink.late);
  }
}

}  // namespace
}  // namespace hocket
