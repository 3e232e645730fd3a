// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>

#include <hocket/scheduler/detail/buffer_state.hpp>
#include <hocket/scheduler/detail/description.hpp>

namespace hocket::detail {

/// A task for whose buffers no device has memory, while one has for the parts of them that it uses:
/// functions for the host copy these parts to buffers of their own before it, and back behind it.
struct tiled_launch {
  task_description in;      ///< copies what is read
  task_description task;    ///< uses the copies
  task_description out;     ///< copies back what was written
  bool writes = false;      ///< there is something to copy back
  std::uint64_t bytes = 0;  ///< of all copies
};

[[nodiscard]] tiled_launch in_tiles(task_description&& task,
                                    const std::shared_ptr<data_runtime>& home);

}  // namespace hocket::detail
