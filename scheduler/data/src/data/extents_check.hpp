// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <span>

#include <hocket/kernels/definition.hpp>
#include <hocket/scheduler/detail/arguments.hpp>

namespace hocket::detail {

/// Asks a kernel that has a check. False where the kernel refuses the extents: tasks that are
/// described say why.
[[nodiscard]] bool asks_extents(const kernel_definition& kernel,
                                std::span<const borrowed_access> accesses) noexcept;

/// True if the kernel takes buffers, or parts of them, of these extents.
[[nodiscard]] inline bool takes_extents(const kernel_definition& kernel,
                                        std::span<const borrowed_access> accesses) noexcept {
  return !kernel.check || asks_extents(kernel, accesses);
}

}  // namespace hocket::detail
