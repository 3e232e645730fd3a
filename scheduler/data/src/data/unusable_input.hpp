// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <string_view>

#include <hocket/core/access.hpp>
#include <hocket/memory/content_state.hpp>

namespace hocket::detail {

/// Why a task that reads the region must not run: no task has written it, or one that was to do so
/// failed, or it was lost. Empty if it may. task: the label of the reader; buffer: that of the
/// buffer.
[[nodiscard]] failure unusable_input(const content_state& content, const box& region,
                                     access_mode mode, std::string_view task,
                                     const std::string& buffer);

}  // namespace hocket::detail
