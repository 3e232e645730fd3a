// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace hocket {

/// A number that stays the same within a process, and is another one in a process that has a copy
/// of its memory, whatever call made it: to ask for it is no call of the system, as getpid() is.
[[nodiscard]] std::uint64_t process_mark() noexcept;

}  // namespace hocket
