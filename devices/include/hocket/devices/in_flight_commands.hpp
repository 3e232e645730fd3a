// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hocket/streams/command.hpp>
#include <hocket/streams/end_watch.hpp>

namespace hocket {

/// The commands of one queue that its driver has, in order, and for each an Item: what the driver
/// gave for it. An end_watch learns of their ends, of short commands several at a time, and reports
/// them. Any thread.
template <class Item>
class in_flight_commands {
 public:
  struct entry {
    std::uint64_t value = 0;
    Item item;
    time_stamp handed{};  ///< to the driver
  };

  /// The functions of the backend that call its driver. Each but the first is called without a
  /// lock, by one thread at a time.
  struct calls {
    /// How many of the commands, at least one, are waited for together: at most about `most` where
    /// that is not decided yet. Under a lock; quick.
    std::function<std::size_t(const std::deque<entry>& all, std::size_t most)> together;
    /// Blocks until the command has ended, and so have those before it.
    std::function<void(entry& last)> wait;
    /// Adds the result of each command that has ended, in order. The items of the commands are
    /// destroyed before the ends are reported.
    std::function<void(std::span<entry> ended, std::vector<command_result>& results)> finish;
    /// Commands that follow one another have ended, the first of which has this value.
    std::function<void(std::uint64_t first, std::span<command_result> how)> report;
  };

  /// name is that of the thread.
  in_flight_commands(const std::string& name, calls driver)
      : driver_(std::move(driver)), watch_(name, [this] { return finish_some(); }) {}

  /// Commands were handed to the driver, in this order, behind all that were added before.
  void add(std::span<entry> handed) {
    {
      const std::lock_guard lock(guard_);
      std::ranges::move(handed, std::back_inserter(entries_));
    }
    watch_.added(handed.size());
  }

  /// Returns get(item) of the last command up to this value that has perhaps not ended; a
  /// default-constructed result if there is no such command. Under a lock; quick.
  template <class Get>
  [[nodiscard]] auto last_up_to(std::uint64_t value, Get get) const {
    const std::lock_guard lock(guard_);
    const auto after = std::ranges::upper_bound(entries_, value, {}, &entry::value);
    return after == entries_.begin() ? decltype(get(after->item))() : get(std::prev(after)->item);
  }

  /// So many commands of the length of the last ones take as long as an end may be reported late.
  [[nodiscard]] std::size_t most_together() const noexcept { return most_together_; }

  /// As those of a stream.
  void poll(const std::function<bool()>& reached) { watch_.poll(reached); }
  void stop_polling() noexcept { watch_.stop_polling(); }

 private:
  std::size_t finish_some() {
    std::size_t count = 0;
    entry* last = nullptr;
    {
      const std::lock_guard lock(guard_);
      count = driver_.together(entries_, most_together_);
      last = &entries_[count - 1];  // it stays where it is while others are added
    }
    driver_.wait(*last);
    take(count);
    driver_.finish(ended_, results_);
    learn_length();
    for (entry& each : ended_) each.item = Item();
    report();
    return count;
  }

  void take(std::size_t count) {
    ended_.clear();
    results_.clear();
    const std::lock_guard lock(guard_);
    for (std::size_t i = 0; i < count; ++i) {
      ended_.push_back(std::move(entries_.front()));
      entries_.pop_front();
    }
  }

  void learn_length() {
    // The first of the commands that are waited for together is reported about so much later.
    constexpr nanoseconds late{100'000};
    const auto count = static_cast<std::int64_t>(results_.size());
    const nanoseconds each = (results_.back().end - results_.front().begin) / count;
    most_together_ = static_cast<std::size_t>(late / std::max(each, nanoseconds(1)));
  }

  /// A command that failed on the way to the driver has a number as well, and driver_stream reports
  /// it.
  void report() {
    const std::span<command_result> all(results_);
    for (std::size_t first = 0, next = 0; first < ended_.size(); first = next) {
      const std::uint64_t value = ended_[first].value;
      while (next < ended_.size() && ended_[next].value == value + (next - first)) ++next;
      driver_.report(value, all.subspan(first, next - first));
    }
  }

  const calls driver_;
  std::atomic<std::size_t> most_together_{1};
  mutable std::mutex guard_;  // for what follows
  std::deque<entry> entries_;

  // Of the thread that learns of ends.
  std::vector<entry> ended_;
  std::vector<command_result> results_;

  end_watch watch_;  // ends before what it uses
};

}  // namespace hocket
