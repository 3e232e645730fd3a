// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The compiler of Vulkan kernels makes valid SPIR-V, whatever the cache holds.

#include "compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "child_program.hpp"
#include "program_entry.hpp"

namespace hocket::vulkan {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string text = R"(#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer numbers { float x[]; };
void main() { x[gl_GlobalInvocationID.x] += 1.0f; }
)";

class vulkan_compile : public ::testing::Test {
 protected:
  vulkan_compile() { ::setenv("XDG_CACHE_HOME", (files_ / "cache").c_str(), 1); }

  [[nodiscard]] std::vector<std::uint32_t> words() {
    return compiler().compile("Vulkan0", "increment", text).value();
  }
  [[nodiscard]] fs::path entry() const {
    return fs::directory_iterator(files_ / "cache/hocket/programs/vulkan")->path();
  }
  /// The entry has another program then, and a digest that is right.
  void replace_program(std::string_view program) const {
    const std::string bytes = testing::content_of(entry());
    std::ofstream(entry(), std::ios::binary)
        << to_bytes({parse_program_entry(bytes).value().key, program});
  }

  testing::scratch_folder files_;
};

TEST_F(vulkan_compile, keeps_what_it_made) {
  const std::vector<std::uint32_t> made = words();
  const std::string bytes = testing::content_of(entry());
  EXPECT_EQ(parse_program_entry(bytes).value().program.size(), made.size() * sizeof made[0]);
  EXPECT_EQ(words(), made);
}

TEST_F(vulkan_compile, compiles_anew_where_the_cache_holds_no_valid_module) {
  const std::vector<std::uint32_t> made = words();
  std::vector<std::uint32_t> changed = made;
  changed[3] = 1;  // the bound of its ids
  const auto bytes_of = [](const std::vector<std::uint32_t>& all) {
    return std::string(reinterpret_cast<const char*>(all.data()), all.size() * sizeof all[0]);
  };
  const std::string whole = bytes_of(made);
  for (const std::string& bad :
       {std::string(), std::string("abc"), std::string(400, '\xff'), whole.substr(0, 20),
        whole.substr(0, whole.size() - 4), whole.substr(4), bytes_of(changed)}) {
    replace_program(bad);
    EXPECT_EQ(words(), made) << bad.size();
    const std::string bytes = testing::content_of(entry());
    EXPECT_EQ(parse_program_entry(bytes).value().program, whole) << "the entry is replaced";
  }
}

TEST_F(vulkan_compile, names_device_and_kernel_of_a_text_that_is_none) {
  const auto none =
      compiler().compile("Vulkan0", "increment", "#version 450\nvoid main() { x; }\n");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), failure_code::compile_failed);
  EXPECT_THAT(none.error().message(), HasSubstr("Kernel \"increment\" does not compile"));
  EXPECT_THAT(none.error().message(), HasSubstr("Vulkan0"));
}

}  // namespace
}  // namespace hocket::vulkan
