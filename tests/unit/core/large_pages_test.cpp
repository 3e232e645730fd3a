// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <hocket/core/large_pages.hpp>

namespace hocket::testing {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;

/// What the system says of the mapping in which the address lies.
bool is_to_have_large_pages(const void* address) {
  std::ifstream all("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(all, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      const auto place = reinterpret_cast<std::uintptr_t>(address);
      here = begin <= place && place < end;
    }
    if (here && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}

class large_pages : public ::testing::Test {
 protected:
  large_pages()
      : begin_(static_cast<char*>(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~large_pages() override { ::munmap(begin_, bytes); }

  static constexpr std::size_t bytes = 16 * mib;
  char* begin_;
};

TEST_F(large_pages, are_wanted_for_whole_ones_in_large_memory) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    GTEST_SKIP() << "This system has none.";
  }
  ASSERT_NE(begin_, MAP_FAILED);
  prefer_large_pages(begin_ + 4096 + 64, bytes - 2 * 4096);
  EXPECT_TRUE(is_to_have_large_pages(begin_ + 8 * mib));
  EXPECT_FALSE(is_to_have_large_pages(begin_));
  EXPECT_FALSE(is_to_have_large_pages(begin_ + bytes - 1));
}

TEST_F(large_pages, are_not_wanted_for_small_memory) {
  ASSERT_NE(begin_, MAP_FAILED);
  prefer_large_pages(begin_, 4 * mib - 1);
  prefer_large_pages(begin_, 0);
  EXPECT_FALSE(is_to_have_large_pages(begin_ + 2 * mib));
}

}  // namespace
}  // namespace hocket::testing
