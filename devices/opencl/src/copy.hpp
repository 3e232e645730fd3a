// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>

#include "completion.hpp"

namespace hocket::opencl {

/// One end of a copy: a buffer, or the host's memory where there is none.
struct copy_end {
  cl_mem object = nullptr;
  std::byte* address = nullptr;
};

/// Copies the box between two buffers, or between one and the host; at least one end is a buffer.
/// Returns its events in the queue.
[[nodiscard]] enqueued enqueue_copy(const api& cl, cl_command_queue queue, const copy_command& what,
                                    const copy_end& from, const copy_end& to,
                                    std::span<const cl_event> waits, const std::string& device);

}  // namespace hocket::opencl
