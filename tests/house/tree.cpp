// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tree.hpp"

#include <fstream>
#include <iterator>

namespace house {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> files_of_tree(const std::set<fs::path>& extensions) {
  std::vector<fs::path> result;
  const auto add = [&](const fs::directory_entry& entry) {
    if (extensions.contains(entry.path().extension())) result.push_back(entry.path());
  };
  for (const auto& top : fs::directory_iterator(HOCKET_SOURCE_DIR)) {
    const std::string name = top.path().filename();
    add(top);
    if (!top.is_directory() || name == "build" || name.starts_with('.')) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) add(entry);
  }
  return result;
}

}  // namespace house
