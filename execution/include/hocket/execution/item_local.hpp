// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket {

// A pointer for whoever is on the calling stack: null at first, and it goes with an item that is
// suspended to the thread that goes on with it. Who sets it puts back what was there before.
// Not inlined: the compiler must not keep the address of one thread's variable.
[[nodiscard]] void* item_local() noexcept;
void set_item_local(void* local) noexcept;

}  // namespace hocket
