// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <span>
#include <string>

#include <hocket/execution/executor.hpp>
#include <hocket/kernels/single_lane.hpp>
#include <hocket/streams/command.hpp>

namespace hocket {

/// Copies the box, with as few and as long pieces as its shape allows. Both allocations are host
/// addresses.
void copy_box(const copy_command& what);

/// Calls piece(offset, bytes) for those pieces, in order; both arrays have them at the same place.
void for_each_piece(const copy_command& what,
                    const std::function<void(std::size_t, std::size_t)>& piece);

/// Calls a host body here: a wide one with the workers of the arena, a serial one alone.
void call_on_host(executor& where, std::size_t arena, body_width width,
                  const std::function<void(const host_launch&)>& body,
                  std::span<const buffer_argument> buffers,
                  std::span<const scalar_argument> scalars);

/// What became of a kernel whose host body has just thrown: task_failed, with the exception kept.
[[nodiscard]] failure failure_of_launch(const std::string& kernel);

/// Runs the kernel's host body here: a wide one with the workers of the arena, a serial one alone.
/// What the body throws is returned as task_failed, with the exception kept.
[[nodiscard]] failure launch_on_host(executor& where, std::size_t arena,
                                     const counted_launch& what);

/// Does what the command says, here and now, on memory that the host can address.
[[nodiscard]] failure perform_on_host(executor& where, std::size_t arena, const command& what);

}  // namespace hocket
