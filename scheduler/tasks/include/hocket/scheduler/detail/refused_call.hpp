// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <type_traits>

namespace hocket::detail {

/// The result of a call that does not compile. To use it adds no error.
struct refused_call {
  refused_call get() const;
  refused_call take() const;
  void wait() const;
  template <class... Args>
  refused_call then(const Args&... args) const;
  template <class T>
  operator T() const;  // NOLINT(*-explicit-*)
};

/// Does not compile, with a sentence that says what functions async() takes.
template <class F>
constexpr refused_call refuse_function_of_async() {
  static_assert(sizeof(F) == 0,
                "The function that async is given takes no parameter, or a std::stop_token. "
                "f.then(function) calls it with the result of a future, and "
                "submit(function, arguments...) with numbers, futures and accesses.");
  return {};
}

/// Refuses at compile time arguments that async() is given behind the function.
template <class F>
constexpr refused_call refuse_arguments_of_async() {
  static_assert(sizeof(F) == 0,
                "async takes no arguments behind the function: numbers, futures and accesses, such "
                "as reads(b), are given to submit(function, arguments...). What the function only "
                "runs after stands before it: async(futures, function).");
  return {};
}

/// Refuses at compile time a function that is no continuation of a future.
template <class G>
constexpr refused_call refuse_continuation() {
  static_assert(sizeof(G) == 0,
                "The function that then is given takes one parameter, the result of the future, as "
                "a value or as const T&; none if the future is one of void.");
  return {};
}

}  // namespace hocket::detail
