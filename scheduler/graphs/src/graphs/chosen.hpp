// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <hocket/core/error.hpp>
#include <hocket/scheduler/detail/graph_use.hpp>

namespace hocket::detail {

/// What an answer chooses among graphs.
struct chosen {
  static constexpr std::size_t nothing = ~std::size_t{0};

  std::size_t body = nothing;
  failure why = {};  ///< there is no such graph
};

/// The answer to a question, in the bits of 64.
struct given_answer {
  std::int64_t number = 0;
  bool is_unsigned = false;
};

/// name begins the sentence of a failure.
[[nodiscard]] chosen choose(choice_rule rule, given_answer answer, std::size_t bodies,
                            const std::string& name);

}  // namespace hocket::detail
