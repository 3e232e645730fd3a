// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <hocket/devices/host_ordered_stream.hpp>
#include <hocket/devices/in_flight_commands.hpp>

namespace hocket {

/// A stream of a driver for which a submission costs more than a short command. A command that
/// waits for other streams is submitted by the thread that ends the last command it waits for.
/// While the device has enough to do, short commands are kept back and submitted together. An Item
/// is what the driver needs for one command.
///
/// A derived class calls hand_over() in enqueue(), and close() in its destructor: its functions are
/// not called after that.
template <class Item>
class batching_stream : public host_ordered_stream {
 public:
  /// The most commands that are submitted together.
  static constexpr std::size_t max_together = 32;

  /// Submits the commands that wait for nothing any more. Any thread.
  void go_on() {
    const std::scoped_lock lock(waiting_guard_);
    while (may_submit()) {
      batch next = take_batch();
      next.back().item.why = submit_batch(next);
      keep(next);
    }
  }

  void poll(const std::function<bool()>& reached) final { commands_.poll(reached); }
  void stop_polling() noexcept final { commands_.stop_polling(); }

 protected:
  /// A command that was submitted, or could not be.
  struct submitted {
    Item of;
    bool ends_batch = false;
    failure why;  ///< of the batch that it ends
  };
  using commands = in_flight_commands<submitted>;
  using entry = typename commands::entry;

  /// When the device has begun and ended a command.
  struct interval {
    time_stamp begin{};
    time_stamp end{};
  };

  /// name is that of the thread that learns of ends.
  batching_stream(driver_domain& domain, executor& where, std::shared_ptr<host_epoch> epoch,
                  stream_id id, const std::string& name)
      : host_ordered_stream(domain, where, std::move(epoch), id),
        commands_(name, {[](const auto& all, std::size_t) { return first_batch(all); },
                         [this](entry& last) { wait_for(last); },
                         [this](auto ended, auto& results) { finish(ended, results); },
                         [this](std::uint64_t first, std::span<command_result> how) {
                           go_on();  // before the ends are reported
                           conclude(first, how);
                         }}) {}

  /// Submits a command, or keeps it back. For enqueue(): if this fails the command was not handed
  /// over.
  [[nodiscard]] failure hand_over(std::uint64_t value, std::span<const device_wait> waits,
                                  Item what) {
    const std::scoped_lock lock(waiting_guard_);
    waiting_.push_back({value, std::move(what), points_of(waits)});
    if (waiting_.size() > 1 || !may_submit()) return {};
    batch alone = take_batch();
    failure why = submit_batch(alone);
    if (why) {
      release(std::move(alone.front().item.of));
    } else {
      keep(alone);
    }
    return why;
  }

  /// Submits commands, behind all that were submitted before. One thread at a time; must not block.
  /// If it fails, the device uses nothing of the stream's commands any more.
  [[nodiscard]] virtual failure submit_together(std::span<const entry> together) = 0;

  /// Blocks until the last command of a batch has ended, which has this value. A failure means that
  /// the device is lost, and uses nothing of the stream's commands any more.
  [[nodiscard]] virtual failure wait(std::uint64_t value) = 0;

  /// Nothing where the device does not say when a command that has ended was executed.
  [[nodiscard]] virtual std::optional<interval> times(const Item& of) const = 0;

  /// A command has ended, or could not be submitted. Any thread.
  virtual void release(Item of) = 0;

 private:
  struct waiting_command {
    std::uint64_t value = 0;
    Item of;
    std::vector<wait_point> points;
  };
  /// Commands that are submitted together.
  using batch = boost::container::small_vector<entry, 1>;

  [[nodiscard]] static std::size_t first_batch(const std::deque<entry>& all) {
    const auto ends = [](const entry& e) { return e.item.ends_batch; };
    return static_cast<std::size_t>(std::ranges::find_if(all, ends) - all.begin()) + 1;
  }

  // Under waiting_guard_.

  /// With two submissions the device has one to run and one to go on with.
  [[nodiscard]] bool may_submit() const {
    const bool enough = most_now() > 1 && batches_ >= 2;
    return !waiting_.empty() && !enough && seen(waiting_.front().points);
  }

  /// Commands are kept back for about as long as an end may be reported late.
  [[nodiscard]] std::size_t most_now() const {
    return std::clamp<std::size_t>(commands_.most_together(), 1, max_together);
  }

  [[nodiscard]] batch take_batch() {
    batch made;
    const std::size_t most = most_now();
    do {
      made.push_back({waiting_.front().value, {std::move(waiting_.front().of), false, {}}, {}});
      waiting_.pop_front();
    } while (made.size() < most && !waiting_.empty() && seen(waiting_.front().points));
    made.back().item.ends_batch = true;
    return made;
  }

  [[nodiscard]] failure submit_batch(batch& what) {
    const time_stamp now = where().now();
    for (entry& e : what) e.handed = now;
    return submit_together({what.data(), what.size()});
  }

  void keep(batch& what) {
    ++batches_;
    commands_.add({what.data(), what.size()});
  }

  // By the thread that learns of ends.

  void wait_for(entry& last) {
    if (!last.item.why) last.item.why = wait(last.value);
    if (!last.item.why) return;
    last.item.why = {failure_code::device_lost, last.item.why.message()};
  }

  void finish(std::span<entry> ended, std::vector<command_result>& results) {
    add_results(ended, results);
    for (entry& e : ended) release(std::move(e.item.of));
    const std::scoped_lock lock(waiting_guard_);
    --batches_;
  }

  void add_results(std::span<const entry> ended, std::vector<command_result>& results) {
    const failure& why = ended.back().item.why;
    // The device's clock may run off in time: nothing begins before it was submitted, or ends after
    // it was seen to.
    time_stamp earliest = std::max(ended.front().handed, latest_);
    const time_stamp latest = std::max(earliest, where().now());
    std::size_t left = ended.size();
    for (const entry& e : ended) {
      // Where the device does not say, all have taken as long as one another.
      command_result how{why, earliest, earliest + (latest - earliest) / left--};
      if (const auto found = why ? std::nullopt : times(e.item.of)) {
        how.end = std::clamp(found->end, earliest, latest);
        how.begin = std::clamp(found->begin, earliest, how.end);
      }
      earliest = how.end;
      results.push_back(std::move(how));
    }
    latest_ = earliest;
  }

  std::mutex waiting_guard_;  // for what follows, and for the order of submissions
  std::deque<waiting_command> waiting_;
  std::size_t batches_ = 0;  // that the device has

  time_stamp latest_{};  // the end of the last command; of the thread that learns of ends
  commands commands_;    // ends before what it uses
};

}  // namespace hocket
