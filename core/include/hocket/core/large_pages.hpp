// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

namespace hocket {

/// Tells the operating system that this memory, which nobody has touched yet, is to lie in large
/// pages as far as they fit into it. Does nothing for memory of less than 4 MiB, where it would be
/// wasted, and where the system does not offer it.
void prefer_large_pages(void* address, std::size_t bytes) noexcept;

}  // namespace hocket
