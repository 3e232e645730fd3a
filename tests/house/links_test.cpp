// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Each link of a page leads somewhere. Addresses of other machines are looked at, not connected to.

#include "links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tree.hpp"

namespace {

namespace fs = std::filesystem;

/// Says why a link of the page at `path` is dead; empty if it is not.
std::string complaint(const fs::path& path, const std::string& target) {
  static const std::regex scheme("^[a-z]+:.*");
  static const std::regex address(
      R"(https?://[\w-]+(\.[\w-]+)+(:\d+)?(/[^\s<>"]*)?|mailto:\S+@\S+)");
  if (std::regex_match(target, scheme)) {
    return std::regex_match(target, address) ? "" : "is no address";
  }
  const std::size_t hash = target.find('#');
  const std::string name = target.substr(0, hash);
  const fs::path file = name.empty() ? path : path.parent_path() / name;
  if (name.starts_with('/') || !fs::exists(file)) return "leads to no file";
  if (hash == target.npos) return "";
  const bool is_there = file.extension() == ".md" &&
                        house::anchors(house::read(file)).contains(target.substr(hash + 1));
  return is_there ? "" : "leads to no heading";
}

std::vector<std::string> targets(const std::string& page) {
  std::vector<std::string> result;
  for (const house::link& link : house::links(page)) {
    result.push_back(std::to_string(link.line) + ' ' + link.target);
  }
  return result;
}

}  // namespace

TEST(house_links, lead_somewhere) {
  std::size_t count = 0;
  for (const fs::path& page : house::files_of_tree({".md"})) {
    for (const house::link& link : house::links(house::read(page))) {
      ++count;
      const std::string wrong = complaint(page, link.target);
      EXPECT_EQ(wrong, "") << page.string() << ':' << link.line << ": " << link.target << ' '
                           << wrong;
    }
  }
  EXPECT_GT(count, 100U);
}

// The measure itself.

TEST(house_links, are_found_outside_of_code) {
  EXPECT_THAT(targets("[a](b.md), ![c](d.svg \"title\")\n"
                      "`[no](no)` ``a ` [no](no)`` [`x`](e) `[f](f)\n\n"
                      "```\n[no](no)\n```\n"
                      "[g]: h.md\n| <https://i.org> | [j](k#l) |\n"),
              testing::ElementsAre("1 b.md", "1 d.svg", "2 e", "2 f", "7 h.md", "8 https://i.org",
                                   "8 k#l"));
}

TEST(house_links, lead_to_headings) {
  EXPECT_THAT(
      house::anchors(
          "# Why `a_b` is, the device's\n```\n# no\n```\n## [Link](x) 1\n## [Link](y) 1\n#no\n"),
      testing::ElementsAre("link-1", "link-1-1", "why-a_b-is-the-devices"));
}

TEST(house_links, that_lead_nowhere_are_named) {
  const fs::path page = fs::path(HOCKET_SOURCE_DIR) / "docs" / "guide.md";
  EXPECT_EQ(complaint(page, "guide/start.md"), "");
  EXPECT_EQ(complaint(page, "../examples"), "");
  EXPECT_EQ(complaint(page, "#guide"), "");
  EXPECT_EQ(complaint(page, "guide/errors.md#two-kinds"), "");
  EXPECT_EQ(complaint(page, "https://ui.perfetto.dev/x?y#z"), "");
  EXPECT_EQ(complaint(page, "start.md"), "leads to no file");
  EXPECT_EQ(complaint(page, "/docs/guide.md"), "leads to no file");
  EXPECT_EQ(complaint(page, "#another"), "leads to no heading");
  EXPECT_EQ(complaint(page, "../CMakeLists.txt#guide"), "leads to no heading");
  EXPECT_EQ(complaint(page, "http://host"), "is no address");
  EXPECT_EQ(complaint(page, "htps://a.org"), "is no address");
}
