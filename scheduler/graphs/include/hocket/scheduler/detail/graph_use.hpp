// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/recorded_function.hpp>
#include <hocket/scheduler/graph.hpp>
#include <hocket/scheduler/run_options.hpp>

namespace hocket::detail {

/// Which of several graphs the answer to a question chooses.
enum class choice_rule : std::uint8_t {
  always,     ///< the first; nothing is asked
  by_number,  ///< the one of that number
  if_true,    ///< the first if it is not zero, else the second, if there is one
  if_false,   ///< the first if it is zero
};

/// What is asked while a graph runs. The answer is a whole number; of true it is one.
struct question {
  using number_of = std::int64_t (*)(const void* value);

  /// One of these three.
  recorded_function* function = nullptr;
  std::shared_ptr<const task_description> task;
  task_state_ptr future;

  recorded_functions_ptr owner;  ///< of the function
  number_of number = nullptr;    ///< reads the value of the task or of the future
  bool is_unsigned = false;      ///< how a number is printed that is no graph's
};

/// One graph, or a choice among several, as a task: what is submitted, and what a recording keeps.
struct graph_use {
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  task_label label;
  std::int64_t priority = 0;
  std::vector<task_state_ptr> after;
  boost::container::small_vector<std::shared_ptr<const graph_content>, 1> bodies;
  settings with;  ///< of this run of the bodies

  choice_rule rule = choice_rule::always;
  question ask;
  std::uint64_t at_most = 1;  ///< rounds: how often a body is run
  bool asks_first = true;     ///< else the first round is the first body's, and nothing is asked

  [[nodiscard]] bool is_choice() const noexcept { return rule != choice_rule::always; }
};

}  // namespace hocket::detail
