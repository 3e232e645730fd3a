// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace hocket {

/// Tells the code that calls it from what other threads run, and from what this thread runs while
/// an item is suspended: such an item keeps its number, whichever thread it goes on with. Items
/// that run one after the other may have the same. Never 0.
// Not inlined: the compiler must not keep the address of one thread's variable.
[[nodiscard]] std::uint64_t stack_number() noexcept;

}  // namespace hocket
