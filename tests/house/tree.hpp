// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace house {

/// Returns the content of a file, and nothing for one that cannot be read.
std::string read(const std::filesystem::path& path);

/// Returns the files of the source tree that have one of these extensions, without what was built.
std::vector<std::filesystem::path> files_of_tree(const std::set<std::filesystem::path>& extensions);

}  // namespace house
