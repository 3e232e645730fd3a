// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include <hocket/scheduler/detail/description.hpp>

namespace hocket {

struct task_options;

namespace detail {

/// An access of a task, where it stands in the memory of the caller.
struct direct_access {
  const buffer_ref* data = nullptr;
  const box* part = nullptr;  ///< null: all of the buffer
  access_mode mode = access_mode::read;
};

/// A number for a task: known, or what a future will hold, which stands in the memory of the
/// caller.
struct direct_number {
  scalar_argument value;
  const completion_ptr* from = nullptr;
  scalar_argument (*convert)(const void* value, element_type to) = nullptr;
};

/// The function of a task with data.
using launch_function = std::function<void(const host_launch&)>;

/// One launch of a kernel; of the function instead of its body, where there is one. Accesses and
/// numbers are in the order of the signature. Nothing is copied as yet.
struct direct_launch {
  const kernel_ref& kernel;
  std::span<const direct_access> accesses;
  std::span<const direct_number> numbers;
  std::uint32_t parts = 0;                ///< accesses to less than the whole
  std::uint32_t awaited = 0;              ///< numbers that are futures'
  const task_options* options = nullptr;  ///< null: the usual ones
  launch_function* function = nullptr;    ///< it is taken
  make_device_state make_state = nullptr;
};

/// Where tasks with data go as they stand in the memory of the caller: nothing is described, and so
/// nothing is copied, of what most of them do not have.
class direct_lane {
 public:
  direct_lane() = default;
  direct_lane(const direct_lane&) = delete;
  direct_lane& operator=(const direct_lane&) = delete;

  /// Submits the launch. Throws as submitter::submit does.
  [[nodiscard]] virtual completion_ptr launch(const direct_launch& what) = 0;

 protected:
  ~direct_lane() = default;
};

}  // namespace detail
}  // namespace hocket
