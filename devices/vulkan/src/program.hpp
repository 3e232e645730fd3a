// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <memory>
#include <utility>
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

/// The programs that a device was asked for. One thread at a time.
class program_table {
 public:
  explicit program_table(const context& of) : of_(of) {}

  /// Null if it was not made yet.
  [[nodiscard]] std::shared_ptr<const program> find(const kernel_definition& kernel,
                                                    const kernel_source& source,
                                                    const program_variant& variant) const;
  /// source is one of the kernel's.
  [[nodiscard]] result<std::shared_ptr<const program>> make(const kernel_ref& kernel,
                                                            const kernel_source& source,
                                                            const program_variant& variant);

 private:
  using variants =
      std::map<std::pair<const kernel_source*, program_variant>, std::shared_ptr<const program>>;
  struct entry {
    kernel_ref kernel;  // so that no other kernel gets its address
    variants made;
  };
  [[nodiscard]] failure check(const kernel_definition& kernel, const kernel_source& source,
                              const program& made) const;
  [[nodiscard]] failure make_layout(program& made, std::size_t words) const;
  [[nodiscard]] failure add_pass(program& made, const std::string& kernel, const std::string& text);

  const context& of_;
  compiler compiler_;
  std::map<const kernel_definition*, entry> kernels_;
};

}  // namespace hocket::vulkan
