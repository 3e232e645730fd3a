// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/graph_use.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket::detail {

class placed_runtime;

/// Throws usage_error if the runtime has no such device. The name begins a sentence.
void check_device(const device_handle& device, placed_runtime& home, const std::string& name);

/// What a device has to have memory for.
enum class room_needed : std::uint8_t {
  buffers,  ///< all buffers of a task, each whole
  tiles     ///< or the parts of them that it uses: see tiled_launch
};

/// Everything that the caller of submit could have known to be wrong: throws usage_error with the
/// labels, the values given and those allowed.
void check(const task_description& task, placed_runtime& home,
           room_needed kind = room_needed::buffers);

/// Throws usage_error for graphs that are not there or belong to another runtime, and for settings
/// of parameters that they do not have.
void check(const graph_use& use, placed_runtime& home);

/// Whether some device, the one that the task names or any, can run it and has memory for it.
[[nodiscard]] bool fits_a_device(const task_description& task, placed_runtime& home);

}  // namespace hocket::detail
