// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "compiler.hpp"

#include <algorithm>
#include <cstddef>

namespace hocket::cuda {

namespace {

constexpr compiler_code compiled_well = 0;

/// Products and sums stay two operations, as on the host; texts annotate no function.
constexpr const char* options_of_all[] = {"--fmad=false", "--std=c++17",
                                          "--device-as-default-execution-space"};

std::string option_for(int architecture) {
  return "--gpu-architecture=compute_" + std::to_string(architecture);
}

/// A program of the compiler.
class program {
 public:
  program(const compiler_api& functions, const std::string& text) : functions_(functions) {
    code_ = functions_.nvrtcCreateProgram(&object_, text.c_str(), "kernel.cu", 0, nullptr, nullptr);
  }
  ~program() {
    if (object_ != nullptr) (void)functions_.nvrtcDestroyProgram(&object_);
  }
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  [[nodiscard]] program_handle get() const noexcept { return object_; }
  [[nodiscard]] compiler_code code() const noexcept { return code_; }

  /// A text of the program; empty where the compiler does not give it.
  template <class Size, class Content>
  [[nodiscard]] std::string text(Size size_of, Content content_of) const {
    std::size_t bytes = 0;
    if (size_of(object_, &bytes) != compiled_well || bytes == 0) return {};
    std::string made(bytes, '\0');
    if (content_of(object_, made.data()) != compiled_well) return {};
    made.resize(std::min(made.find('\0'), made.size()));
    return made;
  }

 private:
  const compiler_api& functions_;
  program_handle object_ = nullptr;
  compiler_code code_ = compiled_well;
};

std::vector<int> architectures_of(const compiler_api& functions) {
  constexpr int most = 1024;
  int count = 0;
  if (functions.nvrtcGetNumSupportedArchs(&count) != compiled_well || count < 1) return {};
  std::vector<int> all(static_cast<std::size_t>(std::min(count, most)));
  if (count > most || functions.nvrtcGetSupportedArchs(all.data()) != compiled_well) return {};
  std::ranges::sort(all);
  return all;
}

}  // namespace

compiler::compiler(std::shared_ptr<const compiler_api> functions)
    : functions_(std::move(functions)), architectures_(architectures_of(*functions_)) {
  int major = 0, minor = 0;
  if (functions_->nvrtcVersion(&major, &minor) == compiled_well) {
    version_ = std::to_string(major) + "." + std::to_string(minor);
  }
}

int compiler::architecture_for(int device) const {
  const auto above = std::ranges::upper_bound(architectures_, device);
  return above == architectures_.begin() ? 0 : *std::prev(above);
}

std::string compiler::identity(int architecture) const {
  std::string made = "nvrtc " + version_ + " " + option_for(architecture);
  for (const char* option : options_of_all) made += std::string(" ") + option;
  return made;
}

compiler::compiled compiler::compile(const std::string& text, int architecture) const {
  const program made(*functions_, text);
  const std::string target = option_for(architecture);
  std::vector<const char*> options(std::begin(options_of_all), std::end(options_of_all));
  options.push_back(target.c_str());
  compiler_code answer = made.code();
  if (answer == compiled_well) {
    answer = functions_->nvrtcCompileProgram(made.get(), static_cast<int>(options.size()),
                                             options.data());
  }
  compiled result;
  if (answer == compiled_well) {
    result.ptx = made.text(functions_->nvrtcGetPTXSize, functions_->nvrtcGetPTX);
    if (!result.ptx.empty()) return result;
  }
  if (made.get() != nullptr) {
    result.log = made.text(functions_->nvrtcGetProgramLogSize, functions_->nvrtcGetProgramLog);
  }
  const char* const name = functions_->nvrtcGetErrorString(answer);
  result.log = std::string(name != nullptr ? name : "no reason") + ": " + result.log;
  return result;
}

}  // namespace hocket::cuda
