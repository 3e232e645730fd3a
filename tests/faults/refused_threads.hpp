// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

namespace hocket::testing {

/// The system refuses threads that a program or shared library starts whose file's name has this
/// part: of those that it starts from now on, counted from one, the first up to the last one. Other
/// threads are started. For a program that is linked with this.
void refuse_threads(std::string starter, std::size_t first, std::size_t last);

/// True if a thread was refused.
[[nodiscard]] bool has_refused_threads() noexcept;

}  // namespace hocket::testing
