// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "surroundings.hpp"

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace hocket::testing {

namespace fs = std::filesystem;

temporary_folder::temporary_folder() {
  std::string name = (fs::temp_directory_path() / "hocket_drivers_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

surroundings::surroundings() {
  for (const char* part : {"opencl", "vulkan", "libraries"}) fs::create_directory(folder() / part);
}

void surroundings::add_opencl(const std::string& library) const {
  std::ofstream(folder() / "opencl/driver.icd") << library << "\n";
}

void surroundings::add_vulkan(const std::string& library) const {
  std::ofstream(folder() / "vulkan/driver.json")
      << R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" << library
      << R"(", "api_version": "1.3.0"}})";
}

void surroundings::replace_library(const std::string& name, const fs::path& file) const {
  fs::copy_file(file, folder() / "libraries" / name);
}

outcome surroundings::run(const std::string& program, const std::string& arguments,
                          const std::string& variables) const {
  const std::string at = folder().string(), manifest = at + "/vulkan/driver.json";
  const fs::path said = folder() / "said";
  // What is compiled here is nobody else's.
  static const temporary_folder cache;
  const std::string line =
      "env -u HOCKET_BACKENDS -u HOCKET_VISIBLE_DEVICES XDG_CACHE_HOME=" + cache.path().string() +
      " OCL_ICD_VENDORS=" + at + "/opencl VK_DRIVER_FILES=" + manifest +
      " VK_ICD_FILENAMES=" + manifest + " LD_LIBRARY_PATH=" + at + "/libraries " + variables +
      " timeout 20 '" + program + "' " + arguments + " >" + said.string() + " 2>&1";
  const int status = std::system(line.c_str());
  std::ifstream in(said, std::ios::binary);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          {std::istreambuf_iterator<char>(in), {}}};
}

}  // namespace hocket::testing
