// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Runs a fuzz target over the files that a corpus consists of, where libFuzzer does not drive it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void replay(const fs::path& input) {
  std::ifstream file(input, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw std::runtime_error(input.string() + " is unreadable");
  // The last line before a crash names the input.
  std::printf("%s\n", input.filename().c_str());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int count, char** arguments) {
  try {
    std::vector<fs::path> inputs;
    for (int i = 1; i < count; ++i) {
      for (const auto& entry : fs::directory_iterator(arguments[i])) inputs.push_back(entry.path());
    }
    std::ranges::sort(inputs);
    for (const fs::path& input : inputs) replay(input);
    std::printf("%zu inputs\n", inputs.size());
    return inputs.empty() ? 1 : 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "replay: %s\n", problem.what());
    return 1;
  }
}
