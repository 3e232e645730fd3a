// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include <hocket/scheduler/detail/first_end.hpp>
#include <hocket/scheduler/detail/sources_in.hpp>
#include <hocket/scheduler/future.hpp>

namespace hocket {

/// Which of several futures of one type ended first; the value of when_any's future.
template <class T>
struct first_ended {
  std::size_t index = 0;  ///< in the order of the arguments
  future<T> which;        ///< it has ended, well or not
};

namespace detail {

/// The value of when_any for a range of futures of one type.
template <class T>
[[nodiscard]] first_ended<T> told_of(std::type_identity<first_ended<T>> /*type*/, std::size_t index,
                                     task_state_ptr ended) noexcept {
  return {index, future<T>(std::move(ended))};
}

template <std::size_t I, class Variant>
[[nodiscard]] Variant as_alternative(task_state_ptr&& ended) noexcept {
  using chosen = std::variant_alternative_t<I, Variant>;
  return Variant(std::in_place_index<I>, chosen(std::move(ended)));
}

/// The value of when_any for futures of several types.
template <class... Fs>
[[nodiscard]] std::variant<Fs...> told_of(std::type_identity<std::variant<Fs...>> /*type*/,
                                          std::size_t index, task_state_ptr ended) noexcept {
  using made_type = std::variant<Fs...>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr std::array makers{&as_alternative<I, made_type>...};
    return makers[index](std::move(ended));
  }
  (std::index_sequence_for<Fs...>{});
}

/// The task that the value of when_any names.
template <class T>
[[nodiscard]] task_state_ptr named_by(const first_ended<T>& value) {
  return value.which.handle().task();
}
template <class... Fs>
[[nodiscard]] task_state_ptr named_by(const std::variant<Fs...>& value) {
  return std::visit([](const auto& which) { return which.handle().task(); }, value);
}

template <class Value>
class first_end_of final : public first_end {
 public:
  using first_end::first_end;
  ~first_end_of() override { release(first_end_of::take_kept()); }

 private:
  void keep(std::size_t index, task_state_ptr ended) noexcept override {
    value_.emplace(told_of(std::type_identity<Value>{}, index, std::move(ended)));
    outcome().set_value(&*value_);
  }
  [[nodiscard]] task_state_ptr take_kept() noexcept override {
    if (!value_) return nullptr;
    task_state_ptr kept = named_by(*value_);
    value_.reset();
    return kept;
  }

  std::optional<Value> value_;
};

/// A future of which task ends first, with that of several types or of one.
template <class Value>
[[nodiscard]] future<Value> first_to_end(std::span<const task_state_ptr> sources) {
  if (const std::size_t i = find_ended(sources); i < sources.size()) {
    const boost::intrusive_ptr<first_end_of<Value>> ended(new first_end_of<Value>(nullptr));
    ended->end_with(i, sources[i]);
    return future<Value>(ended);
  }
  boost::intrusive_ptr<end_race> race(new end_race(sources.size()));
  const boost::intrusive_ptr<first_end> made(new first_end_of<Value>(context_among(sources)));
  end_race::begin(std::move(race), made, sources);
  return future<Value>(made);
}

}  // namespace detail

/// A future of which one of these ends first. It is done as soon as that has ended, well or not,
/// and does not fail as that did: which.get() throws then, or std::get<i>(...).get(). If some have
/// ended before the call, the first of those in argument order is named. The others go on: neither
/// the end of one nor cancelling the future that is returned (which fails then, with cancelled)
/// cancels any of them. That future keeps the one that ended first, and none of the others; until
/// all have ended, each call leaves a few bytes at each of them. Throws usage_error without
/// futures, for one without a task, and for tasks of a recording. Thread-safe.
///
/// Futures of one type give first_ended<T>; futures of several types give
/// std::variant<future<Ts>...>, whose index() says which one.
///
/// ```cpp
/// runtime rt;
/// const future<int> quick = rt.async([] { return 1; });
/// const future<int> exact = rt.async([] { return 2; });
/// const auto [index, which] = when_any(quick, exact).get();
/// std::printf("number %zu: %d\n", index, which.get());
/// ```
template <class T, class... Ts>
[[nodiscard]] auto when_any(const future<T>& first, const future<Ts>&... others) {
  const std::array<detail::task_state_ptr, 1 + sizeof...(Ts)> sources{first.state(),
                                                                      others.state()...};
  if constexpr ((std::is_same_v<T, Ts> && ...)) {
    return detail::first_to_end<first_ended<T>>(sources);
  } else {
    return detail::first_to_end<std::variant<future<T>, future<Ts>...>>(sources);
  }
}

/// when_any of a range of futures of one type. Of futures of any types (any_future) only the end
/// is known: first_ended<void> names one whose get() throws what its task failed with.
template <detail::range_of_futures All>
[[nodiscard]] auto when_any(const All& futures) {
  return detail::first_to_end<first_ended<detail::value_in<All>>>(detail::sources_in(futures));
}

}  // namespace hocket
