// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string_view>

namespace examples {

/// Writes a text to standard error at once. A text that cannot be written there is lost; the
/// program goes on, and ends with the code that it would have had.
void say(std::string_view text) noexcept;

/// Keeps the numbers of standard streams that are closed from files that the program opens, into
/// which its messages would be written otherwise. Reads and writes still fail, and a program that
/// takes the place of this one finds the streams closed. To be called before anything is opened.
void reserve_standard_streams() noexcept;

}  // namespace examples
