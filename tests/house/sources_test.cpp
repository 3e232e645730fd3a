// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scan.hpp"
#include "tree.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file_lines = 600;
constexpr std::size_t max_function_lines = 80;
constexpr std::size_t max_columns = 100;

std::vector<fs::path> sources() { return house::files_of_tree({".cpp", ".hpp"}); }

std::size_t lines_of(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Code points, not bytes: a UTF-8 continuation byte takes no column.
std::size_t columns_of(std::string_view line) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins));
}

}  // namespace

TEST(house_sources, are_found) { EXPECT_GT(sources().size(), 10U); }

TEST(house_sources, have_files_and_functions_of_limited_size) {
  for (const fs::path& path : sources()) {
    const std::string text = house::read(path);
    EXPECT_LE(lines_of(text), max_file_lines) << path;
    for (const house::block& f : house::functions(text)) {
      EXPECT_LE(f.lines, max_function_lines) << path << ':' << f.first_line;
    }
  }
}

TEST(house_sources, begin_with_the_licence_and_keep_the_columns) {
  for (const fs::path& path : sources()) {
    const std::string text = house::read(path);
    EXPECT_TRUE(
        text.starts_with("// SPDX-License-Identifier: Apache-2.0\n"
                         "// SPDX-FileCopyrightText: The Hocket authors\n"))
        << path;
    EXPECT_EQ(text.find('\t'), text.npos) << path << " has a tab";
    std::size_t number = 1, begin = 0;
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
      EXPECT_LE(columns_of(std::string_view(text).substr(begin, end - begin)), max_columns)
          << path << ':' << number;
      begin = end + 1;
      ++number;
    }
  }
}

// The measure itself, on what a simple one gets wrong.

TEST(house_scan, finds_functions_below_namespaces_and_types) {
  const auto found = house::functions(
      "namespace a {\n"
      "template <class T, class U = std::vector<T>>\n"
      "struct alignas(64) s final : base<T> {\n"
      "  s() : x_{1}, y_{2} {\n"
      "    if (true) {\n"
      "    }\n"
      "  }\n"
      "  int x_ = 0;\n"
      "};\n"
      "enum class e { one };\n"
      "inline constexpr int table[] = {\n  1,\n  2,\n};\n"
      "template <class T>\n  requires(sizeof(T) > 1)\nvoid f() {\n}\n"
      "}\n");
  std::vector<std::size_t> lengths;
  for (const house::block& f : found) lengths.push_back(f.lines);
  EXPECT_EQ(lengths, (std::vector<std::size_t>{1, 1, 4, 2}));
}

TEST(house_scan, is_not_misled_by_braces_in_text) {
  const auto found = house::functions(
      "#define OPEN {\n"
      "void f() {\n"
      "  const char* s = \"}\"; // }\n"
      "  char c = '}'; int n = 1'000'000; /* } */\n"
      "  const char* r = R\"x(\n}\n)x\";\n"
      "}\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first_line, 2U);
  EXPECT_EQ(found[0].lines, 7U);
}
