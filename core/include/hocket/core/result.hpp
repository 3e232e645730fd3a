// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <utility>
#include <variant>

#include <hocket/core/error.hpp>

namespace hocket {

/// A value, or the failure that stands in its place. value() of a failed result throws its error.
template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : state_(std::in_place_index<0>, std::move(value)) {}    // NOLINT(*-explicit-*)
  result(failure why) : state_(std::in_place_index<1>, std::move(why)) {}  // NOLINT(*-explicit-*)

  [[nodiscard]] explicit operator bool() const noexcept { return state_.index() == 0; }
  [[nodiscard]] T& value() & {
    if (!*this) error().raise();
    return std::get<0>(state_);
  }
  [[nodiscard]] const T& value() const& {
    if (!*this) error().raise();
    return std::get<0>(state_);
  }
  [[nodiscard]] T&& value() && {
    if (!*this) error().raise();
    return std::get<0>(std::move(state_));
  }
  [[nodiscard]] const failure& error() const noexcept { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, failure> state_;
};

}  // namespace hocket
