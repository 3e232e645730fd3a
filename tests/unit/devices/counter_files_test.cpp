// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <hocket/core/error.hpp>
#include <hocket/devices/counter_files.hpp>

#include "child_program.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class counter_files_test : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path folder() const { return root_ / "counters"; }

  /// The only file in the folder.
  [[nodiscard]] fs::path only_file() const { return fs::directory_iterator(folder())->path(); }

 private:
  testing::scratch_folder root_;
};

TEST_F(counter_files_test, are_read_as_they_were_written_last) {
  EXPECT_THAT(read_counters(folder()), IsEmpty());
  counter_file first(folder(), 1), second(folder(), 2);
  second.write("of the second");
  first.write("old");
  first.write("new");
  const auto found = read_counters(folder());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].from.process, static_cast<std::uint64_t>(::getpid()));
  EXPECT_EQ(found[0].from.runtime, 1U);
  EXPECT_EQ(found[0].content, "new");
  EXPECT_EQ(found[1].from.runtime, 2U);
  EXPECT_EQ(found[1].content, "of the second");
  struct stat about {};
  ASSERT_EQ(::stat(folder().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0700U);
}

TEST_F(counter_files_test, go_with_their_writers) {
  {
    counter_file file(folder(), 1);
    file.write("counters");
    EXPECT_EQ(read_counters(folder()).size(), 1U);
  }
  EXPECT_TRUE(fs::is_empty(folder()));
}

TEST_F(counter_files_test, of_dead_processes_are_removed) {
  const pid_t child = ::fork();
  if (child == 0) {
    counter_file file(folder(), 1);
    file.write("counters of the dead");
    ::_exit(fs::is_empty(folder()) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  // The number of a process is used again: this process is alive, and began at another time.
  std::ofstream(folder() / (std::to_string(::getpid()) + ".1.1")) << "of an earlier process";
  std::ofstream(folder() / (std::to_string(::getpid()) + ".1.1.new")) << "half of";
  std::ofstream(folder() / "notes.txt") << "of another program";
  EXPECT_THAT(read_counters(folder()), IsEmpty());
  EXPECT_EQ(only_file().filename(), "notes.txt");
}

TEST_F(counter_files_test, that_nothing_writes_any_more_are_removed_and_come_back) {
  counter_file file(folder(), 1);
  file.write("counters");
  fs::last_write_time(only_file(), fs::file_time_type::clock::now() - std::chrono::minutes(1));
  EXPECT_THAT(read_counters(folder()), IsEmpty());
  EXPECT_TRUE(fs::is_empty(folder()));
  file.write("counters");
  EXPECT_EQ(read_counters(folder()).size(), 1U);
}

TEST_F(counter_files_test, are_not_taken_from_a_folder_that_others_can_write) {
  counter_file file(folder(), 1);
  file.write("counters");
  fs::permissions(folder(), fs::perms::others_all, fs::perm_options::add);
  EXPECT_THROW((void)read_counters(folder()), error);
  ::testing::internal::CaptureStderr();
  file.write("more");
  file.write("still more");
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("no folder of this user that others cannot write"));
  EXPECT_EQ(said.find('\n') + 1, said.size()) << "said once";
}

TEST_F(counter_files_test, are_not_written_behind_a_link) {
  fs::create_directory(folder().parent_path() / "elsewhere");
  fs::create_directory_symlink(folder().parent_path() / "elsewhere", folder());
  counter_file file(folder(), 1);
  ::testing::internal::CaptureStderr();
  file.write("counters");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("cannot be written"));
  EXPECT_TRUE(fs::is_empty(folder().parent_path() / "elsewhere"));
}

TEST_F(counter_files_test, lie_in_the_folder_of_the_session_if_there_is_one) {
  const char* const before = std::getenv("XDG_RUNTIME_DIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("XDG_RUNTIME_DIR", "/somewhere", 1);
  EXPECT_EQ(counter_folder(), "/somewhere/hocket");
  ::setenv("XDG_RUNTIME_DIR", "not/absolute", 1);
  EXPECT_EQ(counter_folder(), "/tmp/hocket-" + std::to_string(::geteuid()));
  ::setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
}

}  // namespace

}  // namespace hocket
