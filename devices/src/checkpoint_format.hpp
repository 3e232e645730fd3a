// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/core/result.hpp>
#include <hocket/devices/checkpoint_folder.hpp>

namespace hocket {

/// How many bytes a checkpoint has in front of its table.
inline constexpr std::size_t bytes_of_checkpoint_head = 32;

/// The head and the table: what a checkpoint has in front of the content of its arrays, which
/// follows array by array.
[[nodiscard]] std::string checkpoint_front(const checkpoint_position& position,
                                           std::span<const checkpoint_array> arrays);

/// Says why a file of so many bytes, which begins with this, is no whole checkpoint; empty if it
/// may be one.
[[nodiscard]] failure check_checkpoint_head(std::string_view head, std::uint64_t bytes_of_file);

/// The content of a file. The bytes of the arrays lie in the file's.
struct checkpoint_content {
  checkpoint_position position;
  std::vector<checkpoint_array> arrays;
};

/// A function of the bytes alone. Fails, and says why, unless every bit is as it was written.
[[nodiscard]] result<checkpoint_content> parse_checkpoint(std::string_view file);

}  // namespace hocket
