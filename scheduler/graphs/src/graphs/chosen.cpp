// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/chosen.hpp"

namespace hocket::detail {

namespace {

std::string text_of(given_answer answer) {
  return answer.is_unsigned ? std::to_string(static_cast<std::uint64_t>(answer.number))
                            : std::to_string(answer.number);
}

}  // namespace

chosen choose(choice_rule rule, given_answer answer, std::size_t bodies, const std::string& name) {
  if (rule == choice_rule::by_number) {
    if (answer.number >= 0 && static_cast<std::uint64_t>(answer.number) < bodies) {
      return {static_cast<std::size_t>(answer.number)};
    }
    return {chosen::nothing,
            {failure_code::task_failed, name + " chooses graph " + text_of(answer) +
                                            ", and its graphs are 0 to " +
                                            std::to_string(bodies - 1) + "."}};
  }
  const bool first = (answer.number != 0) == (rule == choice_rule::if_true);
  if (first) return {0};
  return {bodies > 1 ? std::size_t{1} : chosen::nothing};
}

}  // namespace hocket::detail
