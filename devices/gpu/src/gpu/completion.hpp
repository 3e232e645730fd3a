// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hocket/devices/device_clock.hpp>
#include <hocket/devices/in_flight_commands.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/streams/command.hpp>

#include "gpu/context.hpp"

namespace hocket::gpu {

/// A command in its stream: the events before and behind it, and what went wrong if not all of it
/// could be handed over.
struct enqueued {
  event_ref begin, end;
  failure why;
  std::shared_ptr<host_moves> used;  ///< by functions of the host in the stream
};

/// The commands of one stream that its driver has. A thread waits for their events; of short
/// commands it waits for several at a time, while the stream has as many to go on with.
class completions {
 public:
  using report = std::function<void(std::uint64_t first, std::span<command_result>)>;

  /// The executor outlives it. start is an event that was recorded in the stream before anything
  /// else. As in in_flight_commands, told is called with what has ended.
  completions(std::shared_ptr<context> in, event_ref start, executor& where, std::string device,
              report told);

  /// A command was handed over.
  void add(std::uint64_t value, enqueued what, time_stamp handed);

  /// As those of the stream.
  void poll(const std::function<bool()>& reached) { commands_.poll(reached); }
  void stop_polling() noexcept { commands_.stop_polling(); }

  /// The event of the last command up to this value that has perhaps not ended; null if there is
  /// none.
  [[nodiscard]] event_ref last_event(std::uint64_t value) const {
    return commands_.last_up_to(value, [](const in_stream& c) { return c.what.end; });
  }

 private:
  struct in_stream {
    enqueued what;
    code status = 0;  ///< of the wait for it
  };
  using commands = in_flight_commands<in_stream>;

  void finish(std::span<commands::entry> ended, std::vector<command_result>& results);
  void set_times(command_result& how, const enqueued& what, std::uint64_t end);
  [[nodiscard]] code wait_for(const event_ref& event) const;
  void await_failed(const event_ref& event) const;
  [[nodiscard]] std::uint64_t nanoseconds_of(const event_ref& event) const;
  [[nodiscard]] std::uint64_t between(const event_ref& begin, const event_ref& end) const;
  void move_start(const event_ref& to, std::uint64_t time);

  std::shared_ptr<context> in_;
  executor& where_;
  std::string device_;

  // Of the thread that learns of ends. The driver tells the time between two events as a float,
  // so that the first one is moved before that loses precision.
  event_ref start_;
  std::uint64_t start_time_ = 1;  // nanoseconds; 0 would mean that the driver does not say
  device_clock clock_;
  event_ref last_end_;  // of the command that was reported last

  commands commands_;  // ends before what it uses
};

}  // namespace hocket::gpu
