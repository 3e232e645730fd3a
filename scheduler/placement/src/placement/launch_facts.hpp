// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <span>

#include <hocket/scheduler/detail/buffer_state.hpp>
#include <hocket/streams/command.hpp>

#include "placement/request.hpp"

namespace hocket::detail {

/// The bytes of all that a task uses, each buffer once and whole.
[[nodiscard]] std::uint64_t bytes_of(std::span<const buffer_ref> used);

/// Estimates how much work the launch is, and how wide, by the accesses that the signature has.
void estimate(launch_command& launch, std::span<const placement::task_access> accesses);

}  // namespace hocket::detail
