// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>

#include <hocket/core/result.hpp>

namespace hocket {

/// Reads a file that a user has named. A failure has the code io, and its message says why, for a
/// sentence that names the file: "Is a directory", or that it has more than max_bytes. A pipe or a
/// device, which may have no end, is refused.
[[nodiscard]] result<std::string> read_text_file(const std::string& path, std::uint64_t max_bytes);

}  // namespace hocket
