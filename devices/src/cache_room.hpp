// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <filesystem>

namespace hocket {

/// Where the files of the folder are more than so many bytes, deletes those that were used least
/// recently until half of the bytes are left. What cannot be deleted stays.
void make_room(const std::filesystem::path& folder, std::uint64_t max_bytes);

/// The file counts as used now.
void mark_used(const std::filesystem::path& file);

}  // namespace hocket
