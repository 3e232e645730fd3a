// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <span>

#include <hocket/core/timepoint.hpp>
#include <hocket/streams/command.hpp>

namespace hocket {

/// Learns what becomes of commands and devices. Called by any thread of a backend; must be quick.
class completion_sink {
 public:
  virtual ~completion_sink() = default;

  /// The command has ended and the timeline shows it. Called once for each command of a stream, in
  /// order, except that after device_lost some commands may never be heard of. Between streams
  /// there is no order: a command may be reported before one that it waited for.
  virtual void completed(stream_id stream, std::uint64_t value, const command_result& how) = 0;

  /// The same of some commands that follow one another, the first of which has this value, for who
  /// can do with fewer calls. The timeline shows the last one.
  virtual void completed_in_a_row(stream_id stream, std::uint64_t first,
                                  std::span<const command_result> how) {
    for (const command_result& each : how) completed(stream, first++, each);
  }

  /// The command waits within its body, and its stream goes on without it: the timeline shows it as
  /// if it had ended. In the order of completed, instead of it; only for launches that may_leave.
  virtual void left(stream_id stream, std::uint64_t value, time_stamp when) = 0;
  /// A command that left its stream has ended; at any time after that.
  virtual void ended_apart(stream_id stream, std::uint64_t value, const command_result& how) = 0;

  /// The device's epoch has ended, and nothing that the backend knows of uses its memory any more.
  /// Nothing issued to it will be heard of for certain, and its
  /// memory is undefined. Called at most once for each device.
  virtual void device_lost(device_id device, const failure& why) = 0;
};

/// An in-order queue of commands.
class stream {
 public:
  virtual ~stream() = default;

  /// Appends a command, which is moved from. Never blocks and never throws: what goes wrong is told
  /// to the sink. One caller at a time. Every timepoint the command waits for belongs to a stream
  /// of the same backend and was submitted before.
  virtual void submit(command&& what) = 0;

  /// Several commands are submitted next, and end_batch() is called at once after them: they need
  /// not start before that. By who submits.
  virtual void begin_batch() {}
  virtual void end_batch() {}

  [[nodiscard]] virtual const timeline& time() const noexcept = 0;

  /// Learns of the ends of commands in the calling thread, which waits for one of them anyhow,
  /// until reached() holds. May return earlier, or at once. Any thread that holds no lock.
  virtual void poll(const std::function<bool()>& reached) { (void)reached; }

  /// Called before a thread blocks on something else. Until the next poll(), ends are reported by
  /// the watching thread. Any thread.
  virtual void stop_polling() noexcept {}
};

}  // namespace hocket
