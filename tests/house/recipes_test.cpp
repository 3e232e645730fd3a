// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The recipes of packaging/ for vcpkg, Conan and Spack have the project's version and its options,
// and that for vcpkg, which has a package for each of Boost's libraries, all that are included.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tree.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path root = HOCKET_SOURCE_DIR;
const fs::path vcpkg = root / "packaging/vcpkg/hocket";
const fs::path spack = root / "packaging/spack/spack_repo/hocket/packages/hocket/package.py";
const std::vector<fs::path> recipes = {vcpkg / "portfile.cmake",
                                       root / "packaging/conan/conanfile.py", spack};

/// The text of the group of `form`, wherever that matches.
std::set<std::string> matches(const std::string& text, const std::string& form) {
  const std::regex expression(form);
  std::set<std::string> result;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    result.insert((*at)[1]);
  }
  return result;
}

/// The options that say what is built: parts of the project, and backends of drivers.
std::set<std::string> options() {
  auto result = matches(house::read(root / "CMakeLists.txt"), R"(option\((HOCKET_BUILD_\w+))");
  for (const auto& folder : fs::directory_iterator(root / "devices")) {
    const std::string text = house::read(folder.path() / "CMakeLists.txt");
    for (std::string name : matches(text, R"(hocket_add_backend\((\w+))")) {
      if (name == "cpu" || name == "null" || name == "sim") continue;
      for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      result.insert("HOCKET_ENABLE_" + name);
    }
  }
  return result;
}

/// The libraries of Boost whose headers the project includes, by the names of vcpkg's packages.
std::set<std::string> libraries_of_boost() {
  std::set<std::string> result;
  for (const fs::path& file : house::files_of_tree({".hpp", ".cpp"})) {
    const std::string folder = fs::relative(file, root).begin()->string();
    if (folder == "tests" || folder == "bench" || folder == "examples") continue;
    for (std::string name : matches(house::read(file), R"(#include <boost/(\w+))")) {
      if (name == "intrusive_ptr") name = "smart_ptr";
      std::ranges::replace(name, '_', '-');
      result.insert("boost-" + name);
    }
  }
  return result;
}

}  // namespace

TEST(house_recipes, of_vcpkg_has_the_libraries_of_boost) {
  const std::set<std::string> found = libraries_of_boost();
  EXPECT_TRUE(found.contains("boost-json"));
  EXPECT_EQ(matches(house::read(vcpkg / "vcpkg.json"), R"x("(boost-[a-z-]+)")x"), found);
}

TEST(house_recipes, have_the_version) {
  const std::string changes = house::read(root / "CHANGELOG.md");
  std::smatch version;
  ASSERT_TRUE(std::regex_search(changes, version, std::regex("\n## ([0-9.]+)\n")));
  const std::set<std::string> expected = {version[1]};
  EXPECT_EQ(matches(house::read(vcpkg / "vcpkg.json"), R"x("version": "([^"]*)")x"), expected);
  EXPECT_EQ(matches(house::read(spack), R"x(\bversion\("([^"]*)")x"), expected);
}

TEST(house_recipes, have_all_options) {
  EXPECT_GT(options().size(), 8U);
  for (const fs::path& recipe : recipes) {
    EXPECT_EQ(matches(house::read(recipe), R"((HOCKET_(?:BUILD|ENABLE)_\w+))"), options())
        << recipe;
  }
}
