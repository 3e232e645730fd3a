// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "heart/action.hpp"
#include "heart/machine.hpp"

namespace hocket::heart {

/// What a command is for; kept until it has ended.
struct command_record {
  ticket number;
  task_id task;  ///< that is launched, or that a copy is for (none for an eviction)
  bool is_copy = false;
  data_id data;    ///< of a copy
  box region;      ///< of a copy
  memory_id from;  ///< of a copy
  memory_id to;    ///< of a copy
  std::uint64_t bytes = 0;
  nanoseconds predicted{0};
  time_stamp wanted{};  ///< since when it could have run, had nothing been in its way
};

/// The streams as the heart sees them: which numbers were given out, which commands were handed to
/// their device and which have ended. A command has its number from the moment it is planned. It is
/// handed over, in order, when everything it waits for on streams of other domains has ended and
/// everything on streams of its own domain was handed over; what is left is waited for on the
/// device.
class stream_board {
 public:
  explicit stream_board(const machine& machine);

  [[nodiscard]] ticket next(stream_id stream) const;

  /// Plans the next command of a stream. made is issue_copy or issue_launch with `number` and
  /// `after` set.
  void plan(const command_record& record, action made);

  /// Hands over what can be.
  void flush(action_list& out);

  /// A command has ended. Returns its record; nothing if the stream's epoch ended before.
  std::optional<command_record> end(stream_id stream, std::uint64_t value);

  /// The stream's epoch ends: all its commands count as done, and come back.
  std::vector<command_record> lose(stream_id stream);

  [[nodiscard]] bool done(ticket t) const;
  [[nodiscard]] bool all_done(const ticket_set& tickets) const;

  /// Calls next when all tickets are done: at once if they are, else from run_woken.
  void when_done(const ticket_set& tickets, std::function<void()> next);
  /// Runs what became due. Returns false if there was nothing.
  bool run_woken();

  /// Commands planned and not ended.
  [[nodiscard]] std::size_t in_flight(stream_id stream) const;
  [[nodiscard]] std::size_t in_flight() const;  ///< on all streams
  /// The sum of their predicted times.
  [[nodiscard]] nanoseconds backlog(stream_id stream) const;
  /// The commands that are in flight, oldest first.
  [[nodiscard]] const std::deque<command_record>& commands(stream_id stream) const;

 private:
  struct waiter {
    std::size_t missing = 0;
    std::function<void()> next;
  };
  struct stream_state {
    std::uint64_t planned = 0;
    std::uint64_t handed = 0;
    std::uint64_t ended = 0;
    bool lost = false;
    nanoseconds backlog{0};
    std::deque<command_record> commands;
    std::deque<action> outbox;
    std::multimap<std::uint64_t, std::shared_ptr<waiter>> waiters;
  };

  [[nodiscard]] bool may_hand_over(std::size_t domain, ticket_set& after) const;
  void wake(stream_state& s, std::uint64_t up_to);

  const machine& machine_;
  std::vector<stream_state> streams_;
  std::size_t unhanded_ = 0;  ///< commands in all outboxes
  std::vector<std::function<void()>> woken_;
};

}  // namespace hocket::heart
