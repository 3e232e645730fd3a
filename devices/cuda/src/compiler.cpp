// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "gpu/runtime_compiler.hpp"

namespace hocket::cuda {

namespace {

/// Products and sums stay two operations, as on the host; texts annotate no function.
constexpr const char* options_of_all[] = {"--fmad=false", "--std=c++17",
                                          "--device-as-default-execution-space"};

std::string option_for(const std::string& architecture) {
  return "--gpu-architecture=" + architecture;
}

std::vector<int> architectures_of(const compiler_api& functions) {
  constexpr int most = 1024;
  int count = 0;
  if (functions.nvrtcGetNumSupportedArchs(&count) != success || count < 1) return {};
  std::vector<int> all(static_cast<std::size_t>(std::min(count, most)));
  if (count > most || functions.nvrtcGetSupportedArchs(all.data()) != success) return {};
  std::ranges::sort(all);
  return all;
}

}  // namespace

compiler::compiler(std::shared_ptr<const compiler_api> functions)
    : functions_(std::move(functions)),
      version_(gpu::version_of(*functions_)),
      architectures_(architectures_of(*functions_)) {}

int compiler::architecture_for(int device) const {
  const auto above = std::ranges::upper_bound(architectures_, device);
  return above == architectures_.begin() ? 0 : *std::prev(above);
}

std::string compiler::name_of_architecture(int architecture) {
  return "compute_" + std::to_string(architecture);
}

std::string compiler::identity(const std::string& architecture) const {
  std::string made = "nvrtc " + version_ + " " + option_for(architecture);
  for (const char* option : options_of_all) made += std::string(" ") + option;
  return made;
}

gpu::compiler::compiled compiler::compile(const std::string& text,
                                          const std::string& architecture) const {
  std::vector<std::string> options(std::begin(options_of_all), std::end(options_of_all));
  options.push_back(option_for(architecture));
  compiled made = gpu::compile(*functions_, text, "kernel.cu", options);
  // The compiler counts the zero behind a text.
  made.binary.resize(std::min(made.binary.find('\0'), made.binary.size()));
  return made;
}

}  // namespace hocket::cuda
