// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The mutations of tests/mutations can still be applied.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tree.hpp"

namespace {

namespace fs = std::filesystem;

struct mutation {
  std::string name;
  std::string file;
  std::string search;
  std::string replacement;
};

/// The lines up to the one that is `end`, joined as they are in the file.
std::string text_until(std::istream& in, std::string_view end) {
  std::string text;
  bool is_first = true;
  for (std::string line; std::getline(in, line) && line != end;) {
    text += (is_first ? "" : "\n") + line;
    is_first = false;
  }
  return text;
}

std::string behind_word(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ', line.find(' '));
  return begin == std::string::npos ? "" : line.substr(begin);
}

std::vector<mutation> mutations() {
  std::vector<mutation> all;
  for (const auto& entry : fs::directory_iterator(HOCKET_SOURCE_DIR "/tests/mutations")) {
    if (entry.path().extension() != ".txt") continue;
    std::istringstream in(house::read(entry.path()));
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("mutation ")) all.push_back({behind_word(line), {}, {}, {}});
      if (all.empty()) continue;
      if (line.starts_with("file ")) all.back().file = behind_word(line);
      if (line != "replace") continue;
      all.back().search = text_until(in, "with");
      all.back().replacement = text_until(in, "end");
    }
  }
  return all;
}

std::size_t occurrences(std::string_view text, std::string_view wanted) {
  std::size_t count = 0;
  for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) ++count;
  return count;
}

}  // namespace

TEST(house_mutations, are_found) { EXPECT_GE(mutations().size(), 60U); }

TEST(house_mutations, match_the_sources_once) {
  std::set<std::string> names;
  for (const mutation& m : mutations()) {
    EXPECT_TRUE(names.insert(m.name).second) << "two mutations are called " << m.name;
    ASSERT_FALSE(m.search.empty()) << m.name << " has nothing to search for";
    EXPECT_NE(m.search, m.replacement) << m.name << " changes nothing";
    EXPECT_EQ(occurrences(house::read(fs::path(HOCKET_SOURCE_DIR) / m.file), m.search), 1U)
        << "the search text of " << m.name << " is to be found once in " << m.file;
  }
}
