// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "compile.hpp"

#include <shaderc/shaderc.hpp>
#include <spirv-tools/libspirv.hpp>

#include <cstring>
#include <span>

#include "errors.hpp"

namespace hocket::vulkan {

namespace {

/// What the validator says; empty if it is content.
std::string problem(const std::vector<std::uint32_t>& words) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  std::string says;
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&,
                               const char* message) { says = message; });
  if (tools.Validate(words)) return {};
  return says.empty() ? "it is not valid SPIR-V" : says;
}

std::string cache_key(const std::string& text) {
  unsigned version = 0, revision = 0;
  shaderc_get_spv_version(&version, &revision);
  return "shaderc " + std::to_string(version) + "." + std::to_string(revision) + ", " +
         spvSoftwareVersionString() + ", for Vulkan 1.2, fast\n" + text;
}

}  // namespace

compiler::compiler() = default;
compiler::~compiler() = default;

result<std::vector<std::uint32_t>> compiler::compile(const std::string& device,
                                                     const std::string& kernel,
                                                     const std::string& text) {
  const std::string key = cache_key(text);
  if (const auto kept = cache_.load(key)) {
    std::vector<std::uint32_t> words(kept->size() / sizeof(std::uint32_t));
    if (!words.empty()) std::memcpy(words.data(), kept->data(), words.size() * sizeof words[0]);
    if (problem(words).empty()) return words;
  }
  if (compiler_ == nullptr) compiler_ = std::make_unique<const shaderc::Compiler>();
  shaderc::CompileOptions options;
  options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  options.SetOptimizationLevel(shaderc_optimization_level_performance);
  const shaderc::SpvCompilationResult made =
      compiler_->CompileGlslToSpv(text, shaderc_compute_shader, kernel.c_str(), options);
  if (made.GetCompilationStatus() != shaderc_compilation_status_success) {
    return compile_failure(device, kernel, made.GetErrorMessage());
  }
  std::vector<std::uint32_t> words(made.begin(), made.end());
  const std::string says = problem(words);
  if (!says.empty()) return compile_failure(device, kernel, says);
  cache_.store(key, std::as_bytes(std::span(words)));
  return words;
}

}  // namespace hocket::vulkan
