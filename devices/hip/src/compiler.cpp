// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "compiler.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "gpu/runtime_compiler.hpp"

namespace hocket::hip {

namespace {

/// Products and sums stay two operations, as on the host.
constexpr const char* options_of_all[] = {"-ffp-contract=off", "-std=c++17"};

std::string option_for(const std::string& architecture) { return "--offload-arch=" + architecture; }

}  // namespace

compiler::compiler(std::shared_ptr<const gpu::compiler_functions> functions)
    : functions_(std::move(functions)), version_(gpu::version_of(*functions_)) {}

std::string compiler::program(const kernel_definition& kernel, const kernel_source& source,
                              std::size_t pass, const program_variant& variant) const {
  return "#pragma clang force_cuda_host_device begin\n" +
         cuda_program(kernel, source, pass, variant) + "#pragma clang force_cuda_host_device end\n";
}

std::string compiler::identity(const std::string& architecture) const {
  std::string made = "hiprtc " + version_ + " " + option_for(architecture);
  for (const char* option : options_of_all) made += std::string(" ") + option;
  return made;
}

gpu::compiler::compiled compiler::compile(const std::string& text,
                                          const std::string& architecture) const {
  std::vector<std::string> options(std::begin(options_of_all), std::end(options_of_all));
  options.push_back(option_for(architecture));
  return gpu::compile(*functions_, text, "kernel.hip", options);
}

}  // namespace hocket::hip
