// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <hocket/kernels/elementwise_lambda.hpp>
#include <optional>
#include <unordered_map>
#include <vector>

namespace hocket::python {

/// Computes expressions on the host, for kernels that no compiler has seen: one loop over a few
/// hundred elements for each operation, whose results stay in the first cache. Immutable; may be
/// run by several threads at a time.
class value_program {
 public:
  value_program(const std::vector<parameter>& parameters,
                const std::vector<detail::traced_result>& results);

  /// As elementwise_lambda::run.
  void run(const detail::elementwise_run& of) const;

 private:
  using loop = void (*)(void* result, const void* const* operands, std::size_t count);

  /// One value: where it comes from, and what computes it.
  struct value {
    detail::expression node;
    std::vector<std::size_t> operands;  ///< the numbers of the values
    loop compute = nullptr;             ///< null for parameters, literals and the index
    bool is_copied = false;             ///< a parameter that is stored after another result is
  };
  struct result {
    std::size_t value;
    std::size_t buffer;  ///< which of the buffers, counted on their own
    element_type type;
    loop store;
  };
  /// Where the elements of a value begin in this block; each block has a place for each value.
  using columns = std::vector<const void*>;

  std::size_t add(const detail::expression& node,
                  std::unordered_map<const detail::expression_node*, std::size_t>& known);
  void fill_constants(const detail::elementwise_run& of, std::byte* memory, std::size_t count,
                      columns& places) const;
  void load(const detail::elementwise_run& of, std::size_t first, std::size_t count,
            std::byte* memory, columns& places) const;

  std::vector<parameter> parameters_;
  std::vector<std::size_t> positions_;  ///< of each parameter among those of its kind
  std::vector<value> values_;
  std::vector<result> results_;
};

}  // namespace hocket::python
