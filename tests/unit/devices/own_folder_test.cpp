// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>

#include <hocket/devices/own_folder.hpp>
#include <hocket/devices/program_cache.hpp>

#include "child_program.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;

constexpr uid_t another_user = 12345;
constexpr auto private_folder = fs::perms::owner_all;
constexpr auto others_write = fs::perms::group_write | fs::perms::others_write;

class own_folder_test : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path root() const { return files_ / "root"; }
  [[nodiscard]] own_folder folder() const { return {root(), "hocket/programs"}; }

  testing::scratch_folder files_;
};

void expect_no_cache(const program_cache& cache, const fs::path& in) {
  cache.store("key", {});
  EXPECT_FALSE(cache.load("key"));
  EXPECT_TRUE(!fs::exists(in) || fs::is_empty(in)) << in;
}

}  // namespace

TEST_F(own_folder_test, is_made_for_this_user_alone_whatever_the_mask) {
  const mode_t before = ::umask(0);
  EXPECT_FALSE(folder().is_trusted());
  const bool made = folder().make();
  ::umask(before);
  EXPECT_TRUE(made);
  EXPECT_TRUE(folder().is_trusted());
  for (const fs::path& each : {root(), root() / "hocket", folder().path()}) {
    EXPECT_EQ(fs::status(each).permissions(), private_folder) << each;
  }
}

TEST_F(own_folder_test, is_not_trusted_where_others_may_write_it_or_a_folder_above) {
  ASSERT_TRUE(folder().make());
  for (const fs::path& each : {root() / "hocket", folder().path()}) {
    fs::permissions(each, others_write, fs::perm_options::add);
    EXPECT_FALSE(folder().is_trusted()) << each;
    fs::permissions(each, others_write, fs::perm_options::remove);
    EXPECT_TRUE(folder().is_trusted()) << each;
  }
}

TEST_F(own_folder_test, a_link_is_not_followed_below_the_root) {
  for (const std::string name : {"hocket", "hocket/programs"}) {
    fs::remove_all(root());
    const fs::path elsewhere = files_ / "elsewhere";
    fs::create_directories(elsewhere);
    fs::create_directories((root() / name).parent_path());
    fs::create_symlink(elsewhere, root() / name);
    errno = 0;
    EXPECT_FALSE(folder().make()) << name;
    EXPECT_EQ(errno, ENOTDIR) << name;
    EXPECT_FALSE(folder().is_trusted()) << name;
    EXPECT_TRUE(fs::is_empty(elsewhere)) << name;
  }
}

TEST_F(own_folder_test, the_root_may_be_a_link) {
  fs::create_directory(files_ / "elsewhere");
  fs::create_symlink(files_ / "elsewhere", root());
  EXPECT_TRUE(folder().make());
  EXPECT_TRUE(folder().is_trusted());
}

TEST_F(own_folder_test, a_link_with_a_slash_behind_it_is_a_link) {
  fs::create_directory(files_ / "elsewhere");
  fs::create_symlink(files_ / "elsewhere", root());
  EXPECT_FALSE(own_folder(root()).is_trusted());
  EXPECT_FALSE(own_folder(root() / "").is_trusted());
  EXPECT_TRUE(own_folder(files_ / "elsewhere/").is_trusted());
}

TEST_F(own_folder_test, a_folder_of_another_user_is_neither_used_nor_added_to) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders to other users";
  for (const std::string name : {"", "hocket", "hocket/programs"}) {
    fs::remove_all(root());
    const fs::path theirs = name.empty() ? root() : root() / name;
    fs::create_directories(theirs);
    ASSERT_EQ(::chown(theirs.c_str(), another_user, another_user), 0);
    EXPECT_TRUE(name == "hocket/programs" || !folder().make()) << name;
    EXPECT_FALSE(folder().is_trusted()) << name;
    EXPECT_TRUE(fs::is_empty(theirs)) << name;
  }
}

TEST_F(own_folder_test, a_folder_for_all_serves_as_root_if_no_other_user_can_rename_what_is_in_it) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders to other users";
  fs::create_directory(root());
  ASSERT_EQ(::chown(root().c_str(), another_user, another_user), 0);
  fs::permissions(root(), fs::perms::all | fs::perms::sticky_bit);
  EXPECT_TRUE(folder().make());
  EXPECT_TRUE(folder().is_trusted());
}

TEST_F(own_folder_test, no_folder_is_neither_made_nor_trusted) {
  EXPECT_FALSE(own_folder().make());
  EXPECT_FALSE(own_folder().is_trusted());
}

TEST_F(own_folder_test, the_program_cache_is_empty_where_its_folder_is_not_trusted) {
  fs::create_directory(files_ / "elsewhere");
  fs::create_symlink(files_ / "elsewhere", files_ / "link");
  expect_no_cache(program_cache(program_cache::in_folder{files_ / "link"}), files_ / "elsewhere");
  fs::create_directory(files_ / "open");
  fs::permissions(files_ / "open", fs::perms::all);
  expect_no_cache(program_cache(program_cache::in_folder{files_ / "open"}), files_ / "open");
}

}  // namespace hocket
