// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <vector>

#include <hocket/kernels/program.hpp>

#include "compile.hpp"
#include "context.hpp"

namespace hocket::vulkan {

/// A kernel's body as the device runs it.
struct program {
  std::uint32_t bindings = 0;  ///< buffers, scratch and, if that is one, the argument block
  argument_block block = argument_block::push_constants;
  owned_set_layout sets;
  owned_pipeline_layout layout;
  std::vector<owned_pipeline> passes;
};

/// Makes programs for a device. One thread at a time.
class program_maker {
 public:
  explicit program_maker(const context& of) : of_(of) {}

  [[nodiscard]] result<std::shared_ptr<const program>> make(const kernel_definition& kernel,
                                                            const kernel_source& source,
                                                            const program_variant& variant);

 private:
  [[nodiscard]] failure check(const kernel_definition& kernel, const kernel_source& source,
                              const program& made) const;
  [[nodiscard]] failure make_layout(program& made, std::size_t words) const;
  [[nodiscard]] failure add_pass(program& made, const std::string& kernel, const std::string& text);

  const context& of_;
  compiler compiler_;
};

}  // namespace hocket::vulkan
