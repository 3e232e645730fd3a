// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hocket/core/result.hpp>
#include <hocket/devices/program_cache.hpp>

namespace shaderc {
class Compiler;
}  // namespace shaderc

namespace hocket::vulkan {

/// Turns GLSL into SPIR-V that was checked: no driver sees a module that is not valid. One thread
/// at a time.
class compiler {
 public:
  compiler();
  ~compiler();

  /// A failure has the code compile_failed; device and kernel are named in it.
  [[nodiscard]] result<std::vector<std::uint32_t>> compile(const std::string& device,
                                                           const std::string& kernel,
                                                           const std::string& text);

 private:
  std::unique_ptr<const shaderc::Compiler> compiler_;  // begins with the first text in no cache
  program_cache cache_{std::string("vulkan")};
};

}  // namespace hocket::vulkan
