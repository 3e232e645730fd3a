// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <hocket/scheduler/detail/sources_in.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>
#include <hocket/scheduler/future.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket {

namespace detail {

/// The part of a when_all's result that comes from one future; a void one leaves a mark.
template <class T>
using gathered_t = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
[[nodiscard]] gathered_t<T> gathered(const task_state_ptr& source) {
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    static_assert(is_copyable<T>,
                  "when_all copies results, and one of these types can only be moved: wait for the "
                  "futures by wait_all, or start a task after them, and take() each result.");
    return value_of<T>(*source);
  }
}

/// Runs body when all sources have ended well; fails as the first of them that failed.
template <class F>
[[nodiscard]] task_state_ptr gather(std::span<const task_state_ptr> sources, F&& body) {
  host_context* context = nullptr;
  for (const task_state_ptr& source : sources) {
    if (source == nullptr) throw usage_error("A future without a task is given to when_all.");
    check_waitable(*source);
    // The runtime of one that has ended may be gone.
    if (context == nullptr && !source->done()) context = source->context();
  }
  host_options options;
  options.label = "when_all";
  options.cheap = true;
  options.gathers = true;
  return launch(context, std::move(options), std::forward<F>(body), sources);
}

template <class... Ts, std::size_t... I>
[[nodiscard]] auto gather_tuple(std::array<task_state_ptr, sizeof...(Ts)> sources,
                                std::index_sequence<I...>) {
  const auto body = [sources] {
    return std::tuple<gathered_t<Ts>...>(gathered<Ts>(sources[I])...);
  };
  return future<std::tuple<gathered_t<Ts>...>>(gather(sources, body));
}

}  // namespace detail

/// A future of all results, in the order of the arguments; of void if all of them are. It is done
/// when all of them are, also if some fail; it fails as the first of these in argument order did.
///
/// ```cpp
/// runtime rt;
/// const future<int> number = rt.async([] { return 7; });
/// const future<void> step = rt.async([] {});
/// const auto [value, nothing] = when_all(number, step).get();
/// std::printf("%d\n", value);
/// ```
template <class... Ts>
[[nodiscard]] auto when_all(const future<Ts>&... futures) {
  const std::array<detail::task_state_ptr, sizeof...(Ts)> sources{futures.state()...};
  if constexpr ((std::is_void_v<Ts> && ...)) {
    return future<void>(detail::gather(sources, [] {}));
  } else {
    return detail::gather_tuple<Ts...>(sources, std::index_sequence_for<Ts...>{});
  }
}

/// when_all of a range: of futures of one type, which gives a vector of results, or of futures of
/// any types (any_future), which gives none.
template <detail::range_of_futures All>
[[nodiscard]] auto when_all(const All& futures) {
  using value = detail::value_in<All>;
  std::vector<detail::task_state_ptr> sources = detail::sources_in(futures);
  if constexpr (std::is_void_v<value>) {
    return future<void>(detail::gather(sources, [] {}));
  } else {
    const auto body = [sources] {
      std::vector<value> results;
      results.reserve(sources.size());
      for (const auto& source : sources) results.push_back(detail::gathered<value>(source));
      return results;
    };
    return future<std::vector<value>>(detail::gather(sources, body));
  }
}

/// Waits until all tasks have ended; does not throw what they failed with. As future::wait() does
/// for each of them.
template <detail::range_of_futures All>
void wait_all(const All& futures) {
  for (const auto& each : futures) {
    const detail::task_handle& one = each.handle();
    if (!one || one.is_place()) detail::refuse_use(one);
    detail::wait_for_end(*one.task());
  }
}

}  // namespace hocket
