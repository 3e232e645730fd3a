// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/kernels/argument.hpp>
#include <hocket/scheduler/detail/buffer_state.hpp>

namespace hocket::detail {

/// What a view shows of a buffer that is at this address.
[[nodiscard]] buffer_argument content_of_view(const region_ref& what, void* address);

}  // namespace hocket::detail
