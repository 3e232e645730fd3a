// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "compile.hpp"

#include <shaderc/shaderc.h>
#include <spirv-tools/libspirv.h>

#include <cstring>
#include <optional>
#include <span>

#include "errors.hpp"

namespace hocket::vulkan {

namespace {

/// What the validator says; nothing if it is content.
std::optional<std::string> problem(const std::vector<std::uint32_t>& words) {
  const spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_2);
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t code = spvValidate(context, &binary, &diagnostic);
  std::optional<std::string> says;
  if (code != SPV_SUCCESS) {
    says = diagnostic != nullptr && diagnostic->error != nullptr ? diagnostic->error
                                                                 : "it is not valid SPIR-V";
  }
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return says;
}

std::string cache_key(const std::string& text) {
  unsigned version = 0, revision = 0;
  shaderc_get_spv_version(&version, &revision);
  return "shaderc " + std::to_string(version) + "." + std::to_string(revision) + ", " +
         spvSoftwareVersionString() + ", for Vulkan 1.2, fast\n" + text;
}

}  // namespace

struct compiler::content {
  shaderc_compiler_t compiler = shaderc_compiler_initialize();
  shaderc_compile_options_t options = shaderc_compile_options_initialize();

  content() {
    if (options == nullptr) return;
    shaderc_compile_options_set_target_env(options, shaderc_target_env_vulkan,
                                           shaderc_env_version_vulkan_1_2);
    shaderc_compile_options_set_optimization_level(options, shaderc_optimization_level_performance);
  }
  content(const content&) = delete;
  content& operator=(const content&) = delete;
  ~content() {
    shaderc_compile_options_release(options);
    shaderc_compiler_release(compiler);
  }
};

compiler::compiler() = default;
compiler::~compiler() = default;

result<std::vector<std::uint32_t>> compiler::compile(const std::string& device,
                                                     const std::string& kernel,
                                                     const std::string& text) {
  const std::string key = cache_key(text);
  if (const auto kept = cache_.load(key)) {
    std::vector<std::uint32_t> words(kept->size() / sizeof(std::uint32_t));
    if (!words.empty()) std::memcpy(words.data(), kept->data(), words.size() * sizeof words[0]);
    if (!problem(words)) return words;
  }
  if (content_ == nullptr) content_ = std::make_unique<content>();
  if (content_->compiler == nullptr || content_->options == nullptr) {
    return compile_failure(device, kernel, "the compiler cannot be begun.");
  }
  const shaderc_compilation_result_t made =
      shaderc_compile_into_spv(content_->compiler, text.data(), text.size(), shaderc_compute_shader,
                               kernel.c_str(), "main", content_->options);
  if (shaderc_result_get_compilation_status(made) != shaderc_compilation_status_success) {
    const failure why = compile_failure(device, kernel, shaderc_result_get_error_message(made));
    shaderc_result_release(made);
    return why;
  }
  std::vector<std::uint32_t> words(shaderc_result_get_length(made) / sizeof(std::uint32_t));
  std::memcpy(words.data(), shaderc_result_get_bytes(made), words.size() * sizeof words[0]);
  shaderc_result_release(made);
  if (const auto says = problem(words)) return compile_failure(device, kernel, *says);
  cache_.store(key, std::as_bytes(std::span(words)));
  return words;
}

}  // namespace hocket::vulkan
