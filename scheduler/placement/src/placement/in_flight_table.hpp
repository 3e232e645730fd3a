// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <hocket/core/ring.hpp>

#include "placement/action.hpp"
#include "placement/command_waiters.hpp"
#include "placement/machine.hpp"
#include "placement/time_counts.hpp"

namespace hocket::placement {

/// The region that a copy brings, and the memory it brings it to.
struct copied_part {
  data_id data;
  box region;
  memory_id from;
  memory_id to;
  std::uint64_t bytes = 0;
};

/// What a command is for; kept until it has ended.
struct command_record {
  point number;
  task_id task;  ///< that is launched, or that a copy is for (none for an eviction)
  placed_task* launched = nullptr;          ///< null for a copy; ends later than the command
  std::shared_ptr<const copied_part> copy;  ///< null for a launch
  nanoseconds predicted{0};
  bool unmeasured = false;              ///< its duration was not measured yet
  bool alone = false;                   ///< no command may queue behind it
  time_stamp left = time_stamp::max();  ///< when it yielded its stream, if it did
  time_stamp wanted{};                  ///< the earliest time at which it could have run
  /// The commands that have to end before it can run; null for none.
  std::shared_ptr<const timepoint_set> after;
};

/// Says that a command has ended, or has yielded its stream.
struct command_report {
  std::uint64_t value;
  command_result how;
  time_stamp left = time_stamp::max();  ///< when it yielded its stream, if it runs still
};

/// The commands of one stream that were planned and have not ended.
struct stream_load {
  std::size_t in_flight;
  nanoseconds backlog;  ///< the sum of their predicted times
};

/// The commands that were planned and have not ended. A command gets its number when it is planned.
/// It is issued to its device, in order, when everything it waits for on streams of other domains
/// has ended and everything on streams of its own domain was issued; for the latter the device
/// waits.
class in_flight_table {
 public:
  explicit in_flight_table(const machine& machine);

  /// A step begins at this time. memory: how far busy_share() looks back.
  void begin(time_stamp now, nanoseconds memory) noexcept {
    if (now != now_ || memory != memory_) ++moments_;
    now_ = now;
    memory_ = memory;
  }
  /// While it stays the same, busy_share() does.
  [[nodiscard]] std::uint64_t moment() const noexcept { return moments_; }

  [[nodiscard]] point next(stream_id stream) const {
    return {stream, streams_[stream.value].planned + 1};
  }

  /// Plans the next command of a stream: Made is issue_copy or issue_launch, made of its number,
  /// what it comes after, and the rest. It is issued at once if possible. Returns the
  /// command's record, of which the caller fills in all but the number and the predicted time.
  template <class Made, class... Rest>
  command_record& plan(point number, nanoseconds predicted, timepoint_set&& after, action_list& out,
                       Rest&&... rest) {
    stream_state& s = streams_[number.stream.value];
    s.planned = number.value;
    s.backlog.add(predicted);
    if (s.commands.empty()) {
      s.busy.go_on(now_, memory_, false);
      s.first_since = now_;
    }
    const std::size_t domain = machine_.streams[number.stream.value].domain;
    const bool is_handed = s.outbox.empty() && may_hand_over(domain, after);
    command_record& record = s.commands.add();
    record.after = after.empty() ? nullptr : std::make_shared<const timepoint_set>(after);
    if (is_handed) {
      ++s.handed;
      out.emplace_back(Made{number, std::move(after), std::forward<Rest>(rest)...});
    } else {
      s.outbox.push_back(Made{number, std::move(after), std::forward<Rest>(rest)...});
      ++unhanded_;
    }
    record.number = number;
    record.predicted = predicted;
    return record;
  }

  /// The stream will be busy for so long beside what was predicted, until its oldest command ends.
  void expect_more(stream_id stream, nanoseconds time) noexcept {
    streams_[stream.value].late = time;
  }

  /// Issues the commands that can be issued by now.
  void flush(action_list& out) {
    if (unhanded_ > 0) flush_all(out);
  }

  /// True if the stream's epoch has ended.
  [[nodiscard]] bool is_lost(stream_id stream) const { return streams_[stream.value].lost; }

  /// True if a report of the stream has to wait. Streams report in no common order, and a device
  /// that waits for a command does not look at how it ended: reports of commands that came after
  /// one that may have failed are kept until its own is heard.
  [[nodiscard]] bool keeps_reports(stream_id stream) const {
    const stream_state& s = streams_[stream.value];
    return !s.reports.empty() || !is_ready(s.commands.front());
  }
  /// Keeps a report, which is the next of its stream. Calls next when it may be taken.
  void keep(stream_id stream, command_report&& report, std::function<void()> next);
  /// True if the oldest report that was kept may be taken. If it has to wait still, next is called
  /// later.
  bool offers_kept(stream_id stream, std::function<void()> next);
  command_report take_kept(stream_id stream);

  /// The oldest command of a stream has ended. The epoch of the stream has not ended. Returns the
  /// record of the command.
  command_record end(stream_id stream, std::uint64_t value);

  /// The command yielded its stream and goes on running. It is in flight until end_apart().
  command_record leave(stream_id stream, std::uint64_t value, time_stamp when);
  /// Returns nothing if the epoch of the stream has ended, or if the report that it has yielded is
  /// kept, which then says how it ended.
  std::optional<command_record> end_apart(point number, const command_result& how);
  /// Commands that yielded their streams and have not ended.
  [[nodiscard]] const std::map<point, command_record>& apart() const { return apart_; }

  /// The stream's epoch ends: all its commands count as done, and come back.
  std::vector<command_record> lose(stream_id stream);

  /// The epoch of the stream had ended, and another one begins. All earlier commands stay done.
  void reopen(stream_id stream) noexcept {
    stream_state& s = streams_[stream.value];
    s.ended = s.handed = s.planned;
    s.lost = false;
  }

  [[nodiscard]] bool done(point t) const {
    const stream_state& s = streams_[t.stream.value];
    return s.lost || t.value <= s.ended;
  }
  [[nodiscard]] bool all_done(const timepoint_set& points) const;
  /// True if all that the command comes after is done.
  [[nodiscard]] bool is_ready(const command_record& c) const {
    return c.after == nullptr || all_done(*c.after);
  }

  /// Calls next when all timepoints are done: at once if they are, else among the calls of
  /// waiters() that are due.
  void when_done(const timepoint_set& points, std::function<void()> next) {
    waiters_.add(points, std::move(next), [this](point t) { return done(t); });
  }
  [[nodiscard]] command_waiters& waiters() noexcept { return waiters_; }

  /// Commands planned and not ended.
  [[nodiscard]] std::size_t in_flight(stream_id stream) const {
    return streams_[stream.value].commands.size();
  }
  [[nodiscard]] std::size_t in_flight() const;  ///< on all streams
  /// The predicted times of the commands, less the time since its oldest command became that, and
  /// what expect_more() has said.
  [[nodiscard, gnu::always_inline]] nanoseconds remaining(stream_id stream) const {
    const stream_state& s = streams_[stream.value];
    if (s.commands.empty()) return nanoseconds{0};
    const nanoseconds passed = std::min(s.commands.front().predicted, now_ - s.first_since);
    return limited_sum(s.backlog.value() - passed, s.late);
  }
  /// The share of the last while in which the stream had commands, from 0 to 1.
  [[nodiscard]] double busy_share(stream_id stream) const {
    const stream_state& s = streams_[stream.value];
    busy_average busy = s.busy;
    busy.go_on(now_, memory_, !s.commands.empty());
    return busy.share;
  }
  [[nodiscard]] stream_load load(stream_id stream) const {
    const stream_state& s = streams_[stream.value];
    return {s.commands.size(), s.backlog.value()};
  }
  /// Of those in flight in the stream; there must be one.
  [[nodiscard]] const command_record& oldest(stream_id stream) const {
    return streams_[stream.value].commands.front();
  }
  /// Of a command in flight that has not yielded its stream; null if it is not.
  [[nodiscard]] command_record* find(point number);
  /// Calls visit(record) for each command that is in flight in the stream, oldest first.
  template <class Visit>
  void each_in(stream_id stream, const Visit& visit) const {
    for (const command_record& c : streams_[stream.value].commands) visit(c);
  }
  /// Calls visit(record) for each command that is in flight in a stream, of one stream after the
  /// other, oldest first.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < streams_.size(); ++i) each_in(stream_id{i}, visit);
  }

 private:
  struct busy_average {
    double share = 0;
    time_stamp until{0};

    /// Adds the time since the last call, in which the stream was busy or idle.
    void go_on(time_stamp now, nanoseconds memory, bool was_busy) noexcept {
      const auto passed = static_cast<double>((now - until).count());
      const double weight =
          passed <= 0 ? 0 : passed / (passed + static_cast<double>(memory.count()));
      share += ((was_busy ? 1.0 : 0.0) - share) * weight;
      until = now;
    }
  };
  struct stream_state {
    std::uint64_t planned = 0;
    std::uint64_t handed = 0;
    std::uint64_t ended = 0;
    bool lost = false;
    time_sum backlog;
    nanoseconds late{0};        ///< of the oldest command, beside the backlog
    time_stamp first_since{0};  ///< when the oldest command became that
    busy_average busy;          ///< until it began or ceased to have commands
    ring<command_record> commands;
    ring<action> outbox;
    std::deque<command_report> reports;  ///< that are kept
  };

  void flush_all(action_list& out);
  [[nodiscard]] bool may_hand_over(std::size_t domain, timepoint_set& after) const;

  const machine& machine_;
  std::vector<stream_state> streams_;
  std::map<point, command_record> apart_;
  std::size_t unhanded_ = 0;  ///< commands in all outboxes
  command_waiters waiters_;
  time_stamp now_{0};
  nanoseconds memory_{0};
  std::uint64_t moments_ = 1;
};

}  // namespace hocket::placement
