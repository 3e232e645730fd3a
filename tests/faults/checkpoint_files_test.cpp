// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Each call to the system that writing a checkpoint makes fails, or is the last of its process.

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/devices/checkpoint_folder.hpp>

#include "child_program.hpp"
#include "failing_file_calls.hpp"

namespace hocket::testing {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_calls = 50;

class checkpoint_files : public ::testing::Test {
 protected:
  /// Writes a checkpoint whose content is that number in two arrays.
  static void write(checkpoint_folder& to, std::uint8_t number) {
    const std::vector<std::uint8_t> content(1000, number);
    const auto bytes = std::as_bytes(std::span(content));
    const std::vector<checkpoint_array> arrays{{"a", element_type::u8, {1000}, bytes},
                                               {"b", element_type::u8, {10, 100}, bytes}};
    to.write({{"number", std::to_string(number)}}, arrays);
  }

  /// The number in the newest checkpoint, which must be whole.
  static int newest(checkpoint_folder& of) {
    const auto found = of.read_newest();
    if (!found || !found->newer.empty()) return -1;
    const int number = std::stoi(found->position.at("number"));
    for (const checkpoint_array& each : found->arrays) {
      for (const std::byte b : each.bytes) EXPECT_EQ(static_cast<int>(b), number);
    }
    return number;
  }

  [[nodiscard]] bool has_unfinished() const {
    for (const auto& each : fs::directory_iterator(folder_)) {
      if (each.path().extension() == ".new") return true;
    }
    return false;
  }

  /// A child process writes the checkpoint 2 until the fault ends it, after so many calls. Returns
  /// false if there are not so many.
  [[nodiscard]] bool is_ended_in_child(std::size_t calls, call_fault how) const {
    const pid_t child = ::fork();
    if (child == 0) {
      fault_after(calls, how);
      checkpoint_folder opened(folder_, 1);
      write(opened, 2);
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    const int code = WEXITSTATUS(status);
    EXPECT_TRUE(code == 0 || code == exit_code_of_fault) << code;
    return code == exit_code_of_fault;
  }

  void start_with_one() const {
    fs::remove_all(folder_);
    checkpoint_folder opened(folder_, 1);
    write(opened, 1);
  }

  const scratch_folder root_;
  const fs::path folder_ = root_ / "checkpoints";
};

TEST_F(checkpoint_files, survive_the_failure_of_each_call) {
  for (const call_fault how : {call_fault::fails, call_fault::is_short}) {
    std::size_t failures = 0;
    for (std::size_t calls = 0; calls < most_calls; ++calls) {
      start_with_one();
      checkpoint_folder opened(folder_, 1);
      bool did_fail = false;
      fault_after(calls, how);
      try {
        write(opened, 2);
      } catch (const error& why) {
        did_fail = true;
        EXPECT_EQ(why.code(), failure_code::io);
        EXPECT_NE(std::string(why.what()).find("No space left on device"), std::string::npos);
      }
      const bool is_past_the_end = !fault_no_more();
      EXPECT_FALSE(has_unfinished()) << "call " << calls;
      EXPECT_GE(newest(opened), did_fail ? 1 : 2) << "call " << calls;
      // The next one has all that it needs.
      write(opened, 3);
      EXPECT_EQ(newest(opened), 3);
      failures += did_fail ? 1 : 0;
      if (is_past_the_end) break;
    }
    // Open, three writes, two times fsync, rename, opening the folder.
    EXPECT_GE(failures, 8U);
  }
}

TEST_F(checkpoint_files, are_whole_wherever_the_process_ends) {
  for (const call_fault how : {call_fault::ends_before, call_fault::ends_after}) {
    std::size_t ends = 0;
    bool was_old = false, was_new = false;
    for (; ends < most_calls; ++ends) {
      start_with_one();
      if (!is_ended_in_child(ends, how)) break;
      checkpoint_folder opened(folder_, 1);
      EXPECT_FALSE(has_unfinished()) << "call " << ends;
      const int found = newest(opened);
      EXPECT_TRUE(found == 1 || found == 2) << "call " << ends << ": " << found;
      was_old |= found == 1;
      was_new |= found == 2;
    }
    EXPECT_GE(ends, 8U);
    EXPECT_LT(ends, most_calls);
    EXPECT_TRUE(was_old && was_new);
  }
}

}  // namespace

}  // namespace hocket::testing
