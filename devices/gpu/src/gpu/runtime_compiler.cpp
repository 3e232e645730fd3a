// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/runtime_compiler.hpp"

#include <algorithm>

namespace hocket::gpu {

namespace {

constexpr compiler_code compiled_well = 0;

/// A program of the compiler.
class open_program {
 public:
  open_program(const compiler_functions& functions, const std::string& text, const char* name)
      : functions_(functions) {
    code_ = functions_.create(&object_, text.c_str(), name, 0, nullptr, nullptr);
  }
  ~open_program() {
    if (object_ != nullptr) (void)functions_.destroy(&object_);
  }
  open_program(const open_program&) = delete;
  open_program& operator=(const open_program&) = delete;

  [[nodiscard]] program_handle get() const noexcept { return object_; }
  [[nodiscard]] compiler_code code() const noexcept { return code_; }

  /// Bytes of the program; none where the compiler does not give them.
  template <class Size, class Content>
  [[nodiscard]] std::string bytes(Size size_of, Content content_of) const {
    std::size_t count = 0;
    if (size_of(object_, &count) != compiled_well || count == 0) return {};
    std::string made(count, '\0');
    if (content_of(object_, made.data()) != compiled_well) return {};
    return made;
  }

 private:
  const compiler_functions& functions_;
  program_handle object_ = nullptr;
  compiler_code code_ = compiled_well;
};

/// Without the zero at its end.
std::string as_text(std::string bytes) {
  bytes.resize(std::min(bytes.find('\0'), bytes.size()));
  return bytes;
}

}  // namespace

std::string version_of(const compiler_functions& with) {
  int major = 0, minor = 0;
  if (with.version(&major, &minor) != compiled_well) return {};
  return std::to_string(major) + "." + std::to_string(minor);
}

compiler::compiled compile(const compiler_functions& with, const std::string& text,
                           const char* name, const std::vector<std::string>& options) {
  const open_program made(with, text, name);
  std::vector<const char*> given;
  for (const std::string& option : options) given.push_back(option.c_str());
  compiler_code answer = made.code();
  if (answer == compiled_well) {
    answer = with.compile(made.get(), static_cast<int>(given.size()), given.data());
  }
  compiler::compiled result;
  if (answer == compiled_well) {
    result.binary = made.bytes(with.binary_bytes, with.binary);
    if (!result.binary.empty()) return result;
  }
  if (made.get() != nullptr) result.log = as_text(made.bytes(with.log_bytes, with.log));
  const char* const reason = with.name_of(answer);
  result.log = std::string(reason != nullptr ? reason : "no reason") + ": " + result.log;
  return result;
}

}  // namespace hocket::gpu
