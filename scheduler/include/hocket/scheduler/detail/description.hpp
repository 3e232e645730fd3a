// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/duration.hpp>
#include <hocket/kernels/definition.hpp>
#include <hocket/scheduler/detail/buffer_state.hpp>
#include <hocket/scheduler/detail/completion.hpp>

namespace hocket::detail {

/// The state of a future whose task the heart decides. Its value, if it has one, is stored when the
/// read-back is there.
class device_task : public completion {
 public:
  using completion::completion;

  /// Copies the value out of host memory. Before finish(), by who finishes.
  virtual void store(const void* bytes) noexcept { (void)bytes; }

  void request_cancel() noexcept override;

  [[nodiscard]] std::uint32_t arena() const noexcept override;

  /// Learns of the end of the launch here, if it was handed to a device, and if no thread does so.
  bool help(helping& by) noexcept override;

  /// The launch was handed to the stream.
  void handed_to(stream_id stream) noexcept { stream_.store(stream.value); }

  /// Of the launch; set before anybody else sees the task.
  task_id id;

 private:
  std::atomic<std::uint64_t> stream_{stream_id{}.value};
};

template <class T>
class device_task_of final : public device_task {
 public:
  using device_task::device_task;
  void store(const void* bytes) noexcept override {
    value_ = *static_cast<const T*>(bytes);
    set_value(&value_);
  }

 private:
  T value_{};
};

template <>
class device_task_of<void> final : public device_task {
 public:
  using device_task::device_task;
};

/// A number for a kernel: known, or the value of a future.
struct number_argument {
  scalar_argument value;
  completion_ptr from;
  /// Reads the future's value as the kernel's element type.
  scalar_argument (*convert)(const void* value, element_type to) = nullptr;
};

struct access_argument {
  buffer_ref data;
  box where;
  access_mode mode = access_mode::read;
};

struct budget_use {
  budget_id budget;
  std::uint64_t bytes = 0;
};

/// A task as the user has described it: what is submitted, and what a recording keeps. Copyable.
struct task_description {
  std::string label;
  std::optional<device_id> on;
  std::int64_t priority = 0;
  bool in_order = false;
  nanoseconds timeout = nanoseconds::max();
  time_stamp deadline = time_stamp::max();
  std::stop_token stop;
  std::vector<completion_ptr> after;
  std::optional<budget_use> takes;
  std::vector<completion_ptr> returns;

  host_context* scope = nullptr;  ///< else it belongs to the runtime

  kernel_ref kernel;
  bool host_only = false;
  std::vector<std::variant<number_argument, access_argument>> arguments;   ///< in signature order
  device_task* (*make_state)(host_context*, std::string label) = nullptr;  ///< of its future
};

}  // namespace hocket::detail
