// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <hocket/devices/device_clock.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/streams/command.hpp>
#include <hocket/streams/end_watch.hpp>

#include "context.hpp"

namespace hocket::opencl {

/// The events of a command in its queue: the first and the last of one or more commands of
/// OpenCL, and what went wrong if not all of them could be handed over.
struct enqueued {
  handle<cl_event> first;  ///< empty if it is the last as well
  handle<cl_event> last;   ///< empty if nothing was handed over
  failure why;
};

/// The commands of one queue that its driver has, in order. A thread waits for them and tells of
/// each: drivers call back with locks held, so that a callback had to wake a worker, which is one
/// wake more on the way and measured up to twice as long. Of short commands it waits for several at
/// a time, while the queue has as many to go on with.
class completions {
 public:
  using report = std::function<void(std::uint64_t first, std::span<command_result>)>;

  /// The executor outlives it. told is called for all commands, in order, by the thread: with those
  /// that it hears of together.
  completions(std::shared_ptr<context> of, std::shared_ptr<device_clock> clock, executor& where,
              std::string device, report told)
      : context_(std::move(of)),
        clock_(std::move(clock)),
        where_(where),
        device_(std::move(device)),
        told_(std::move(told)),
        watch_(device_, [this] { return finish_some(); }) {}

  /// A command was handed over.
  void add(std::uint64_t value, enqueued what, time_stamp handed);

  /// As those of the stream.
  void poll(const std::function<bool()>& reached) { watch_.poll(reached); }
  void stop_polling() noexcept { watch_.stop_polling(); }

  /// The event of the last command up to this value that has perhaps not ended; null if there is
  /// none.
  [[nodiscard]] std::shared_ptr<const handle<cl_event>> last_event(std::uint64_t value) const;

 private:
  struct entry {
    std::uint64_t value = 0;
    handle<cl_event> first;
    std::shared_ptr<const handle<cl_event>> last;
    failure why;
    time_stamp handed{};
  };

  [[nodiscard]] std::size_t finish_some();
  [[nodiscard]] std::size_t how_many() const;
  [[nodiscard]] cl_int status_of(cl_event event) const;
  [[nodiscard]] cl_int outcome_of(cl_event event) const;
  [[nodiscard]] cl_int wait_for(cl_event event) const;
  [[nodiscard]] command_result result_of(const entry& e, cl_int status, time_stamp heard) const;

  std::shared_ptr<context> context_;
  std::shared_ptr<device_clock> clock_;
  executor& where_;
  std::string device_;
  report told_;

  // No function of the driver is called under this lock.
  mutable std::mutex guard_;
  std::deque<entry> in_driver_;

  // Of the watching thread.
  nanoseconds each_{0};  ///< how long commands take
  std::vector<entry> ended_;
  std::vector<command_result> results_;

  end_watch watch_;  // ends before what it uses
};

}  // namespace hocket::opencl
