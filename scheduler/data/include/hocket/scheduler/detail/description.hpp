// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/duration.hpp>
#include <hocket/kernels/definition.hpp>
#include <hocket/scheduler/detail/buffer_state.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>
#include <hocket/scheduler/detail/task_state.hpp>
#include <hocket/scheduler/detail/value_box.hpp>
#include <hocket/scheduler/run_parameter.hpp>

namespace hocket::detail {

/// The state of a future whose task the placement engine decides. Its value, if it has one, is
/// stored when the read-back is there.
class device_task : public task_state {
 public:
  device_task(host_context* context, task_label label, kernel_ref kernel = {})
      : task_state(context, std::move(label)), kernel_(std::move(kernel)) {}

  /// Without a label what its kernel is called.
  [[nodiscard]] std::string_view label_text() const noexcept override {
    return label().empty() && kernel_ != nullptr ? std::string_view(kernel_->name) : label().text();
  }

  /// Copies the value out of host memory. Before finish(), by the thread that finishes.
  virtual void store(const void* bytes) noexcept { (void)bytes; }

  /// The function of the task will leave its value there. Before anybody else sees the task.
  virtual void expect_in(value_box_ptr /*box*/) noexcept {}
  /// Takes the value out of the box. Returns why there is none. Before finish(), by the thread that
  /// finishes.
  [[nodiscard]] virtual failure take_from_box() noexcept { return {}; }

  void request_cancel() noexcept override;

  [[nodiscard]] std::uint32_t arena() const noexcept override {
    // See handed_to(): relaxed.
    return arena_.load(std::memory_order_relaxed);
  }

  /// Learns of the end of the launch here, if it was handed to a device, and if no thread does so.
  bool help(helping& by) noexcept override;

  void tell_awaited(wait_visitor& to) override;

  /// The launch was handed to the stream, whose work the workers of the arena do, if any do.
  void handed_to(stream_id stream, std::uint32_t arena) noexcept {
    // A thread that reads an older value does without, and nothing else is read because of it:
    // relaxed.
    stream_.store(stream.value, std::memory_order_relaxed);
    arena_.store(arena, std::memory_order_relaxed);
  }

  [[nodiscard]] std::size_t held_bytes() const noexcept override {
    return task_state::held_bytes() + held_by_launch;
  }

  /// Of the launch; set before anybody else sees the task.
  task_id id;
  std::uint32_t held_by_launch = 0;  ///< bytes

 private:
  std::atomic<std::uint32_t> arena_{no_arena};
  kernel_ref kernel_;
  std::atomic<std::uint64_t> stream_{stream_id{}.value};
};

template <class T>
class device_task_of final : public device_task {
 public:
  using device_task::device_task;
  void store(const void* bytes) noexcept override {
    value_ = *static_cast<const T*>(bytes);
    outcome().set_value(&value_);
  }

 private:
  T value_{};
};

template <>
class device_task_of<void> final : public device_task {
 public:
  using device_task::device_task;
};

/// The task of a function that leaves its value in a box.
class boxed_device_task final : public device_task {
 public:
  using device_task::device_task;
  void expect_in(value_box_ptr box) noexcept override { box_ = std::move(box); }
  [[nodiscard]] failure take_from_box() noexcept override;

 private:
  value_box_ptr box_;
};

template <class T>
[[nodiscard]] device_task* make_device_task(host_context* context, const task_label& label,
                                            const kernel_ref& kernel) {
  using made_type = std::conditional_t<is_boxed<T>, boxed_device_task, device_task_of<T>>;
  return task_memory::make<made_type>(2, 0, context, label, kernel);
}

/// Makes the state of a task's future. The caller has to care for two references: the launch's and
/// the future's.
using make_device_state = device_task* (*)(host_context*, const task_label&, const kernel_ref&);

/// A number for a kernel: known, the value of a future, or what a parameter is in a run.
struct number_argument {
  scalar_argument value;
  task_state_ptr from = {};
  /// Reads the value of the future or of the parameter as the kernel's element type.
  scalar_argument (*convert)(const void* value, element_type to) = nullptr;
  parameter_ref set_by = {};
};

struct access_argument {
  buffer_ref data;
  box where;
  access_mode mode = access_mode::read;
};

struct budget_use {
  budget_id budget;
  std::uint64_t bytes = 0;
  std::uint64_t runtime = 0;  ///< see budget_share
  std::uint64_t capacity = 0;
};

/// The nested domain that the tasks of a run belong to: one of the engine (placement::task_kind)
/// or, of tasks in place, a domain_node. None if neither is set.
struct place_within {
  task_id id = {};
  task_state_ptr node = nullptr;
};

/// A task as the user has described it: what is submitted, and what a recording keeps. Copyable.
struct task_description {
  task_label label;
  std::optional<device_id> on;
  std::uint64_t runtime_of_on = 0;  ///< see device_handle
  std::int64_t priority = 0;
  bool in_order = false;
  nanoseconds timeout = nanoseconds::max();
  time_stamp deadline = time_stamp::max();
  std::stop_token stop;
  std::vector<task_state_ptr> after;
  std::optional<budget_use> takes;
  std::vector<task_state_ptr> returns;

  host_context* scope = nullptr;  ///< else it belongs to the runtime

  kernel_ref kernel;
  bool host_only = false;
  std::uint32_t function_bytes = 0;  ///< of a body that no other task has
  value_box_ptr box = {};            ///< where that leaves its value; not in a recording
  std::vector<std::variant<number_argument, access_argument>> arguments;  ///< in signature order
  make_device_state make_state = nullptr;

  place_within within;

  /// Without a label what its kernel is called.
  [[nodiscard]] std::string_view label_text() const noexcept {
    return label.empty() ? std::string_view(kernel->name) : label.text();
  }
};

}  // namespace hocket::detail
