// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hocket {

/// One entry of the program cache.
struct program_entry {
  std::string_view key;
  std::string_view program;
};

/// The content of the file of an entry: a header with the sizes and a digest, the key, the program.
[[nodiscard]] std::string to_bytes(const program_entry& entry);

/// The entry, which refers to the bytes; nothing if they are not whole.
[[nodiscard]] std::optional<program_entry> parse_program_entry(std::string_view bytes);

}  // namespace hocket
