// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "launch_case.hpp"

namespace hocket::testing {
namespace {

namespace fs = std::filesystem;

/// The different GLSL programs of some launches.
std::set<std::string> programs_of(const std::vector<launch_case>& cases) {
  std::set<std::string> texts;
  for (const launch_case& launch : cases) {
    std::vector<device_argument> arguments;
    for (const device_array& b : launch.buffers) arguments.push_back(b.on_device());
    for (const kernel_source& source : launch.kernel->sources) {
      if (source.format != kernel_format::glsl) continue;
      const lowered_launch made = lower(*launch.kernel, source, arguments, launch.scalars).value();
      for (std::size_t pass = 0; pass < source.passes.size(); ++pass) {
        texts.insert(glsl_program(*launch.kernel, source, pass, made.variant,
                                  argument_block::storage_buffer));
      }
    }
  }
  return texts;
}

/// Runs the compiler on all texts at once; what it says, empty if all are accepted.
std::string errors_of(const std::set<std::string>& texts) {
  std::random_device random;
  const fs::path folder = fs::temp_directory_path() / ("hocket-glsl-" + std::to_string(random()));
  fs::create_directories(folder);
  std::size_t number = 0;
  for (const std::string& text : texts) {
    std::ofstream(folder / ("text" + std::to_string(number++) + ".comp")) << text;
  }
  const std::string command = "cd '" + folder.string() + "' && " + HOCKET_GLSLC +
                              " -c --target-env=vulkan1.1 *.comp > errors 2>&1";
  const int status = std::system(command.c_str());
  std::stringstream said;
  said << std::ifstream(folder / "errors").rdbuf();
  fs::remove_all(folder);
  return status == 0 ? "" : "glslc failed: " + said.str();
}

TEST(glsl_text, of_every_kernel_compiles) {
  std::mt19937_64 random(1);
  std::set<std::string> texts = programs_of(built_in_cases(random));
  texts.merge(programs_of(traced_cases(random)));
  EXPECT_GT(texts.size(), 100u);
  EXPECT_EQ(errors_of(texts), "");
}

}  // namespace
}  // namespace hocket::testing
