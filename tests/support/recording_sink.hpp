// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <hocket/execution/executor.hpp>
#include <hocket/streams/stream.hpp>

namespace hocket::testing {

/// Keeps what streams report, checks that it comes once and in order, and lets tests wait for it.
class recording_sink final : public completion_sink {
 public:
  using reaction = std::function<void(stream_id, std::uint64_t)>;

  /// Called for each completion, by the reporting thread.
  void react(reaction r) { reaction_ = std::move(r); }

  /// Completions of these streams are a mistake once the device is lost.
  void owns(device_id device, std::set<stream_id> streams) { owned_[device] = std::move(streams); }

  void completed(stream_id stream, std::uint64_t value, const command_result& how) override {
    completed_in_a_row(stream, value, {&how, 1});
  }

  void completed_in_a_row(stream_id stream, std::uint64_t first,
                          std::span<const command_result> how) override {
    {
      const std::lock_guard lock(mutex_);
      event_ends_[stream].insert(first + how.size() - 1);
    }
    for (const command_result& each : how) heard(stream, first++, each);
  }

  void left(stream_id stream, std::uint64_t value, time_stamp when) override {
    {
      const std::lock_guard lock(mutex_);
      left_.insert({stream, value});
    }
    heard(stream, value, {{}, when, when});
  }

  void ended_apart(stream_id stream, std::uint64_t value, const command_result& how) override {
    std::vector<std::shared_ptr<executor::gate>> reached;
    {
      const std::lock_guard lock(mutex_);
      EXPECT_TRUE(left_.contains({stream, value})) << "what ends apart has not left";
      EXPECT_TRUE(ended_apart_.insert({{stream, value}, how}).second) << "it ends twice";
      reached = take_reached();
    }
    for (const auto& g : reached) g->open();
  }

  void device_lost(device_id device, const failure& why) override {
    std::vector<std::shared_ptr<executor::gate>> reached;
    {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(lost_.contains(device)) << "a device is lost twice";
      lost_[device] = why;
      reached = take_reached();
    }
    for (const auto& g : reached) g->open();
  }

  /// Waits until the stream has reported the value; fails the test if that takes too long.
  void await(executor& where, stream_id stream, std::uint64_t value) {
    await(where, [this, stream, value] { return results_[stream].size() >= value; });
  }
  void await_end_apart(executor& where, stream_id stream, std::uint64_t value) {
    await(where, [this, stream, value] { return ended_apart_.contains({stream, value}); });
  }
  void await_loss(executor& where, device_id device) {
    await(where, [this, device] { return lost_.contains(device); });
  }

  [[nodiscard]] std::vector<command_result> results(stream_id stream) const {
    const std::lock_guard lock(mutex_);
    const auto at = results_.find(stream);
    return at == results_.end() ? std::vector<command_result>() : at->second;
  }
  [[nodiscard]] command_result result(stream_id stream, std::uint64_t value) const {
    return results(stream).at(value - 1);
  }
  [[nodiscard]] bool has_left(stream_id stream, std::uint64_t value) const {
    const std::lock_guard lock(mutex_);
    return left_.contains({stream, value});
  }
  [[nodiscard]] command_result result_apart(stream_id stream, std::uint64_t value) const {
    const std::lock_guard lock(mutex_);
    return ended_apart_.at({stream, value});
  }
  /// The last value of those that were reported together with this one.
  [[nodiscard]] std::uint64_t told_with(stream_id stream, std::uint64_t value) const {
    const std::lock_guard lock(mutex_);
    return *event_ends_.at(stream).lower_bound(value);
  }
  [[nodiscard]] std::map<device_id, failure> lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
  }

 private:
  void heard(stream_id stream, std::uint64_t value, const command_result& how) {
    if (reaction_) reaction_(stream, value);
    std::vector<std::shared_ptr<executor::gate>> reached;
    {
      const std::lock_guard lock(mutex_);
      auto& all = results_[stream];
      EXPECT_EQ(value, all.size() + 1) << "stream " << stream.value << " reports out of order";
      EXPECT_LE(how.begin, how.end);
      if (!all.empty()) {
        EXPECT_LE(all.back().end, how.begin) << "commands of one stream overlap";
      }
      for (const auto& [device, why] : lost_) {
        EXPECT_FALSE(owned_[device].contains(stream)) << "a lost device reports";
      }
      all.push_back(how);
      reached = take_reached();
    }
    for (const auto& g : reached) g->open();
  }

  using condition = std::function<bool()>;
  struct waiter {
    condition holds;
    std::shared_ptr<executor::gate> gate;
  };

  void await(executor& where, const condition& holds) {
    const auto arm = [&](std::shared_ptr<executor::gate> gate) {
      {
        const std::lock_guard lock(mutex_);
        if (!holds()) {
          waiters_.push_back({holds, std::move(gate)});
          return;
        }
      }
      gate->open();
    };
    const bool in_time = where.wait(arm, where.now() + std::chrono::seconds(60));
    ASSERT_TRUE(in_time) << "what was waited for was not reported within a minute";
  }

  std::vector<std::shared_ptr<executor::gate>> take_reached() {
    std::vector<std::shared_ptr<executor::gate>> reached;
    std::erase_if(waiters_, [&](const waiter& w) {
      if (!w.holds()) return false;
      reached.push_back(w.gate);
      return true;
    });
    return reached;
  }

  reaction reaction_;
  std::map<device_id, std::set<stream_id>> owned_;
  mutable std::mutex mutex_;
  std::map<stream_id, std::vector<command_result>> results_;
  std::map<stream_id, std::set<std::uint64_t>> event_ends_;
  std::set<std::pair<stream_id, std::uint64_t>> left_;
  std::map<std::pair<stream_id, std::uint64_t>, command_result> ended_apart_;
  std::map<device_id, failure> lost_;
  std::vector<waiter> waiters_;
};

}  // namespace hocket::testing
