// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <span>

#include <hocket/scheduler/detail/description.hpp>

namespace hocket {

struct task_options;

namespace detail {

/// An argument of a task, where it stands in the memory of the caller.
struct direct_argument {
  const buffer_ref* data = nullptr;  ///< of an access; null for a number
  const box* where = nullptr;        ///< of an access
  access_mode mode = access_mode::read;
  number_argument number;
};

/// The function of a task with data.
using launch_function = std::function<void(const host_launch&)>;

/// Where tasks with data go in a runtime that has no memory but the host's: they need no placement
/// and no copies, so that their order, decided when they are submitted, is all there is to decide.
class direct_lane {
 public:
  direct_lane() = default;
  direct_lane(const direct_lane&) = delete;
  direct_lane& operator=(const direct_lane&) = delete;

  /// Submits a launch of the kernel; of the function instead of its body, where there is one. The
  /// arguments are in the order of the signature. Throws as submitter::submit does.
  [[nodiscard]] virtual completion_ptr launch(const task_options& options, const kernel_ref& kernel,
                                              launch_function function,
                                              std::span<const direct_argument> arguments) = 0;

 protected:
  ~direct_lane() = default;
};

}  // namespace detail
}  // namespace hocket
