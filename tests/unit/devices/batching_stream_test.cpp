// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/batching_stream.hpp>

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <vector>

#include <hocket/execution/tbb_executor.hpp>

#include "commands.hpp"
#include "recording_sink.hpp"

namespace hocket {

namespace {

using values = std::vector<std::uint64_t>;

/// A stream of a driver whose commands end when the test says so, and take no time on the device.
class slow_queue final : public batching_stream<std::shared_ptr<int>> {
 public:
  slow_queue(driver_domain& domain, executor& where, std::shared_ptr<host_epoch> epoch,
             stream_id id)
      : batching_stream(domain, where, std::move(epoch), id, "slow queue") {}
  ~slow_queue() override { close(); }

  void end(std::uint64_t value) {
    const std::lock_guard lock(guard_);
    ended_ = value;
    changed_.notify_all();
  }
  /// The values of the commands that were submitted together.
  std::vector<values> batches() {
    const std::lock_guard lock(guard_);
    return batches_;
  }

  std::shared_ptr<int> item = std::make_shared<int>(0);
  slow_queue* then = nullptr;  ///< goes on after each end
  std::atomic<bool> refuses = false, is_lost = false;
  std::atomic<int> released{0};

 protected:
  [[nodiscard]] bool prepared(const command& /*what*/) override { return true; }
  [[nodiscard]] failure prepare(const command& /*what*/) override { return {}; }
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override {
    return hand_over(what.value, waits, item);
  }
  [[nodiscard]] failure submit_together(std::span<const entry> together) override {
    if (refuses) return {failure_code::out_of_memory, "It is full."};
    values all;
    for (const entry& e : together) all.push_back(e.value);
    const std::lock_guard lock(guard_);
    batches_.push_back(std::move(all));
    return {};
  }
  [[nodiscard]] failure wait(std::uint64_t value) override {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [&] { return ended_ >= value; });
    return is_lost ? failure(failure_code::internal, "It is unplugged.") : failure();
  }
  [[nodiscard]] std::optional<interval> times(const std::shared_ptr<int>& /*of*/) const override {
    return interval{};
  }
  void release(std::shared_ptr<int> of) override {
    if (of == item) ++released;
  }
  void after_end() override {
    if (then != nullptr) then->go_on();
  }

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  std::uint64_t ended_ = 0;
  std::vector<values> batches_;
};

class batches_of_a_stream : public ::testing::Test {
 protected:
  batches_of_a_stream() { sink.owns({0}, {{0}, {1}}); }
  ~batches_of_a_stream() override {
    // Each before any is destroyed: one has the other go on.
    for (slow_queue* each : {&first, &second}) each->end(~std::uint64_t{0});
    first.close();
    second.close();
  }
  timepoint give(slow_queue& to, std::initializer_list<timepoint> after = {}) {
    return submit(to, testing::nothing(), after);
  }
  void finish(timepoint last) { sink.await(where, last.on->stream(), last.value); }

  testing::recording_sink sink;
  testing::submitter submit;
  tbb_executor where{std::make_shared<const host_topology>()};
  driver_domain domain;
  std::shared_ptr<host_epoch> epoch = std::make_shared<host_epoch>(device_id{0}, sink);
  slow_queue first{domain, where, epoch, {0}};
  slow_queue second{domain, where, epoch, {1}};
};

}  // namespace

TEST_F(batches_of_a_stream, short_commands_are_kept_back_and_go_together) {
  for (int i = 0; i < 3; ++i) give(first);
  EXPECT_EQ(first.batches(), (std::vector<values>{{1}, {2}, {3}})) << "their length is not known";
  first.end(3);
  finish({&first.time(), 3});
  for (int i = 0; i < 5; ++i) give(first);
  EXPECT_EQ(first.batches().size(), 5U) << "the device has enough to do with two";
  first.end(8);
  finish({&first.time(), 8});
  EXPECT_EQ(first.batches(), (std::vector<values>{{1}, {2}, {3}, {4}, {5}, {6, 7, 8}}));
  EXPECT_EQ(first.released, 8);
  EXPECT_EQ(first.item.use_count(), 1) << "no item outlives the report of its end";
}

TEST_F(batches_of_a_stream, a_command_is_submitted_when_what_it_waits_for_has_ended) {
  first.then = &second;
  const timepoint before = give(first);
  const timepoint after = give(second, {before});
  EXPECT_TRUE(second.batches().empty());
  second.end(1);
  first.end(1);
  finish(after);
  EXPECT_EQ(second.batches(), (std::vector<values>{{1}}));
}

TEST_F(batches_of_a_stream, a_command_that_cannot_be_submitted_fails_alone) {
  first.refuses = true;
  const timepoint bad = give(first);
  finish(bad);
  EXPECT_EQ(sink.result({0}, bad.value).why.message(), "It is full.");
  EXPECT_EQ(first.released, 1);
  first.refuses = false;
  first.end(2);
  finish(give(first));
  EXPECT_EQ(first.batches(), (std::vector<values>{{2}}));
}

TEST_F(batches_of_a_stream, the_device_is_lost_if_commands_kept_back_cannot_be_submitted) {
  first.then = &second;
  const timepoint before = give(first);
  give(second, {before});
  second.refuses = true;
  first.end(1);
  sink.await_loss(where, {0});
  EXPECT_EQ(sink.lost().at({0}).message(), "It is full.");
  EXPECT_EQ(sink.lost().at({0}).code(), failure_code::device_lost);
}

TEST_F(batches_of_a_stream, the_device_is_lost_if_it_does_not_end_them) {
  first.is_lost = true;
  give(first);
  first.end(1);
  sink.await_loss(where, {0});
  EXPECT_EQ(sink.lost().at({0}).message(), "It is unplugged.");
}

}  // namespace hocket
