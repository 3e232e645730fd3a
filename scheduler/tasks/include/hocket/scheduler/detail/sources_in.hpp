// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/scheduler/task_options.hpp>

namespace hocket::detail {

/// The type of results that the futures of a range have; void for a range of any_future.
template <class F>
struct value_of_future {
  using type = void;
};
template <class T>
struct value_of_future<future<T>> {
  using type = T;
};
template <range_of_futures All>
using value_in = typename value_of_future<
    std::remove_cvref_t<decltype(*std::begin(std::declval<const All&>()))>>::type;

/// The states of the futures of a range, in its order; null for a future without a task.
template <range_of_futures All>
[[nodiscard]] std::vector<task_state_ptr> sources_in(const All& futures) {
  std::vector<task_state_ptr> sources;
  for (const auto& each : futures) sources.push_back(each.state());
  return sources;
}

}  // namespace hocket::detail
