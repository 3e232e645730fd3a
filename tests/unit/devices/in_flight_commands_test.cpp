// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/in_flight_commands.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <vector>

namespace hocket {

namespace {

using item = std::shared_ptr<int>;
using commands = in_flight_commands<item>;
using values = std::vector<std::uint64_t>;

/// A driver whose commands end when the test says so.
class driver {
 public:
  /// Each takes so long.
  explicit driver(nanoseconds length) : length_(length) {}

  void give(std::uint64_t value, item of = nullptr) {
    commands::entry made{value, std::move(of), {}};
    queue.add({&made, 1});
  }
  void end(std::uint64_t value) {
    const std::lock_guard lock(guard_);
    ended_ = value;
    changed_.notify_all();
  }
  /// The groups of values that were reported together, once there are so many.
  std::vector<values> reported(std::size_t count) {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return reported_.size() >= count; });
    return reported_;
  }

 private:
  void wait(const commands::entry& last) {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return ended_ >= last.value; });
  }
  void finish(std::span<commands::entry> ended, std::vector<command_result>& results) {
    for (const commands::entry& e : ended) {
      const time_stamp begin = length_ * e.value;
      results.push_back({{}, begin, begin + length_});
    }
  }
  void report(std::uint64_t first, std::span<command_result> how) {
    values all;
    for (std::size_t i = 0; i < how.size(); ++i) all.push_back(first + i);
    const std::lock_guard lock(guard_);
    reported_.push_back(std::move(all));
    changed_.notify_all();
  }

  const nanoseconds length_;
  std::mutex guard_;
  std::condition_variable changed_;
  std::uint64_t ended_ = 0;
  std::vector<values> reported_;

 public:
  commands queue{"test",
                 {[](const auto& all, std::size_t most) {
                    return std::clamp<std::size_t>(most, 1, all.size());
                  },
                  [this](const commands::entry& last) { wait(last); },
                  [this](auto ended, auto& results) { finish(ended, results); },
                  [this](std::uint64_t first, auto how) { report(first, how); }}};
};

}  // namespace

TEST(in_flight_commands, long_ones_are_reported_one_by_one) {
  driver d{std::chrono::milliseconds(1)};
  for (std::uint64_t v = 1; v <= 3; ++v) d.give(v);
  d.end(3);
  EXPECT_EQ(d.reported(3), (std::vector<values>{{1}, {2}, {3}}));
}

TEST(in_flight_commands, short_ones_are_reported_together) {
  driver d{std::chrono::microseconds(50)};
  for (std::uint64_t v = 1; v <= 4; ++v) d.give(v);
  EXPECT_EQ(d.queue.most_together(), 1U) << "their length is not known yet";
  d.end(4);
  // So many of them take as long as the first may be reported late.
  EXPECT_EQ(d.reported(3), (std::vector<values>{{1}, {2, 3}, {4}}));
  EXPECT_EQ(d.queue.most_together(), 2U);
}

TEST(in_flight_commands, what_failed_before_is_left_out) {
  driver d{std::chrono::microseconds(1)};
  for (const std::uint64_t v : {1U, 2U, 3U, 5U, 6U}) d.give(v);
  d.end(6);
  EXPECT_EQ(d.reported(3), (std::vector<values>{{1}, {2, 3}, {5, 6}}));
}

TEST(in_flight_commands, items_are_there_until_the_end_and_gone_before_the_report) {
  driver d{std::chrono::microseconds(1)};
  auto of = std::make_shared<int>(7);
  const std::weak_ptr<int> seen = of;
  d.give(3, std::move(of));
  const auto get = [](const item& i) { return i; };
  EXPECT_EQ(d.queue.last_up_to(2, get), nullptr);
  EXPECT_EQ(*d.queue.last_up_to(3, get), 7);
  EXPECT_EQ(*d.queue.last_up_to(9, get), 7);
  d.end(3);
  d.reported(1);
  EXPECT_TRUE(seen.expired());
  EXPECT_EQ(d.queue.last_up_to(9, get), nullptr);
}

}  // namespace hocket
