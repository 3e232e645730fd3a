// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

#include <hocket/scheduler/detail/description.hpp>

namespace hocket {

struct task_options;

namespace detail {

class value_box;

/// An access of a task. What it points to is the caller's.
struct borrowed_access {
  const buffer_ref* data = nullptr;
  const box* part = nullptr;  ///< null: all of the buffer
  access_mode mode = access_mode::read;
};

/// A number for a task: known, or what a future will hold, which stands in the memory of the
/// caller.
struct borrowed_number {
  scalar_argument value;
  const task_state_ptr* from = nullptr;
  scalar_argument (*convert)(const void* value, element_type to) = nullptr;
};

/// The function of a task with data.
using launch_function = std::function<void(const host_launch&)>;

/// How many bytes such a function of F has elsewhere than in itself.
template <class F>
inline constexpr std::uint32_t function_bytes = sizeof(F) > 2 * sizeof(void*) ||
                                                        !std::is_trivially_copyable_v<F>
                                                    ? sizeof(F)
                                                    : 0;

/// The kernel of all functions with the same signature, each of which a task brings.
[[nodiscard]] kernel_ref kernel_of_functions(const kernel_definition& without_body);

/// A function that a task takes over, if there is one. Of a task that is described it is in the
/// kernel, but its bytes count.
struct taken_function {
  launch_function* body = nullptr;
  std::uint32_t bytes = 0;   ///< function_bytes
  value_box* box = nullptr;  ///< where it leaves its value, if not in memory of a buffer
};

/// One launch of a kernel; of the function instead of its body, where there is one. Accesses and
/// numbers are in the order of the signature. Nothing is copied as yet.
struct borrowed_launch {
  const kernel_ref& kernel;
  std::span<const borrowed_access> accesses;
  std::span<const borrowed_number> numbers;
  std::uint32_t parts = 0;                ///< accesses to less than the whole
  std::uint32_t awaited = 0;              ///< numbers that are futures'
  const task_options* options = nullptr;  ///< null: the usual ones
  taken_function function = {};
  make_device_state make_state = nullptr;
};

/// The launch of a kernel that has no arguments, with the usual options.
[[nodiscard]] inline borrowed_launch without_arguments(const kernel_ref& kernel,
                                                       make_device_state make_state) noexcept {
  return {.kernel = kernel, .accesses = {}, .numbers = {}, .make_state = make_state};
}

/// Where tasks with data go as they stand in the memory of the caller: nothing is described, and so
/// nothing is copied, of what most of them do not have.
class launch_lane {
 public:
  launch_lane() = default;
  launch_lane(const launch_lane&) = delete;
  launch_lane& operator=(const launch_lane&) = delete;

  /// Submits the launch. Throws as submitter::submit does.
  [[nodiscard]] task_state_ptr launch(const borrowed_launch& what) { return {submit(what), false}; }

  /// The same of a kernel that has no arguments, with the usual options.
  [[nodiscard]] task_state_ptr launch(const kernel_ref& kernel, make_device_state make_state) {
    return {submit(kernel, make_state), false};
  }

 protected:
  ~launch_lane() = default;

 private:
  // The caller has to care for one reference.
  [[nodiscard]] virtual task_state* submit(const borrowed_launch& what) = 0;
  [[nodiscard]] virtual task_state* submit(const kernel_ref& kernel,
                                           make_device_state make_state) = 0;
};

}  // namespace detail
}  // namespace hocket
