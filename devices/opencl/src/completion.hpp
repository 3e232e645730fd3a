// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include <hocket/execution/executor.hpp>
#include <hocket/streams/command.hpp>

#include "clock.hpp"
#include "context.hpp"

namespace hocket::opencl {

/// What a command has become in its queue: the first and the last of one or more commands of
/// OpenCL, and what went wrong if not all of them could be handed over.
struct enqueued {
  handle<cl_event> first;  ///< empty if it is the last as well
  handle<cl_event> last;   ///< empty if nothing was handed over
  failure why;
};

/// The commands of one queue that its driver has, in order. The driver calls back when one has
/// ended; a worker then reports it. Outlives the stream by as long as workers are in it.
class completions : public std::enable_shared_from_this<completions> {
 public:
  using report = std::function<void(std::uint64_t, const command_result&)>;

  /// told is called once for each command, in order, and may destroy what it belongs to when it
  /// is told of the last.
  completions(std::shared_ptr<context> of, std::shared_ptr<device_clock> clock, executor& where,
              std::string device, report told)
      : context_(std::move(of)),
        clock_(std::move(clock)),
        where_(where),
        device_(std::move(device)),
        told_(std::move(told)) {}

  /// A command was handed over.
  void add(std::uint64_t value, enqueued what, time_stamp handed);

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
    time_stamp heard{};
    cl_int status = CL_QUEUED;
  };
  struct call;

  static void CL_CALLBACK called(cl_event event, cl_int status, void* data);
  void wait_for(const std::shared_ptr<const handle<cl_event>>& event, std::uint64_t value);
  void heard(std::uint64_t value, cl_int status);
  void drain();
  [[nodiscard]] command_result result_of(const entry& e) const;

  std::shared_ptr<context> context_;
  std::shared_ptr<device_clock> clock_;
  executor& where_;
  std::string device_;
  report told_;

  // No function of the driver is called under this lock: the driver may call back under its own.
  mutable std::mutex guard_;
  std::deque<entry> in_driver_;
  bool draining_ = false;
};

}  // namespace hocket::opencl
