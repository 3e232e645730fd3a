// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <hocket/devices/device_clock.hpp>
#include <hocket/devices/in_flight_commands.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/streams/command.hpp>

#include "context.hpp"

namespace hocket::opencl {

/// The events of a command in its queue: the first and the last of one or more commands of
/// OpenCL, and what went wrong if not all of them could be handed over.
struct enqueued {
  handle<cl_event> first;  ///< empty if it is the last as well
  handle<cl_event> last;   ///< empty if nothing was handed over
  failure why;
};

/// The commands of one queue that its driver has. A thread waits for their events: drivers call
/// back with locks held, so that a callback had to wake a worker, which is one wake more on the way
/// and measured up to twice as long. Of short commands it waits for several at a time, while the
/// queue has as many to go on with.
class completions {
 public:
  using report = std::function<void(std::uint64_t first, std::span<command_result>)>;

  /// The executor outlives it. As in in_flight_commands, told is called with what has ended.
  completions(std::shared_ptr<context> of, std::shared_ptr<device_clock> clock, executor& where,
              const std::string& device, report told);

  /// A command was handed over.
  void add(std::uint64_t value, enqueued what, time_stamp handed);

  /// As those of the stream.
  void poll(const std::function<bool()>& reached) { commands_.poll(reached); }
  void stop_polling() noexcept { commands_.stop_polling(); }

  /// The event of the last command up to this value that has perhaps not ended; null if there is
  /// none.
  [[nodiscard]] std::shared_ptr<const handle<cl_event>> last_event(std::uint64_t value) const {
    return commands_.last_up_to(value, [](const in_queue& c) { return c.last; });
  }

 private:
  struct in_queue {
    handle<cl_event> first;
    std::shared_ptr<const handle<cl_event>> last;
    failure why;
    cl_int status = CL_COMPLETE;  ///< what became of it, once that is known
  };
  using commands = in_flight_commands<in_queue>;

  void finish(std::span<commands::entry> ended, std::vector<command_result>& results) const;
  [[nodiscard]] cl_int status_of(cl_event event) const;
  [[nodiscard]] cl_int outcome_of(cl_event event) const;
  [[nodiscard]] cl_int wait_for(cl_event event) const;
  [[nodiscard]] command_result result_of(const commands::entry& e, time_stamp heard) const;

  std::shared_ptr<context> context_;
  std::shared_ptr<device_clock> clock_;
  executor& where_;
  std::string device_;
  commands commands_;  // ends before what it uses
};

}  // namespace hocket::opencl
