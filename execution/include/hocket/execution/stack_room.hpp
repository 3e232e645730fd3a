// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket {

/// True while at least half of the calling stack, a thread's or an item's, is free. Code that may
/// call itself without a bound asks before it goes one level deeper; the other half is left to the
/// functions of users. The first call of a thread that is no item's finds out where its stack ends,
/// which takes some microseconds.
// Not inlined: the compiler must not keep the address of one thread's variable.
[[nodiscard]] bool stack_has_room() noexcept;

}  // namespace hocket
