// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace hocket {

template <class Signature>
class function_ref;

/// A function that somebody else owns: two words, no allocation. For parameters that are called
/// before the call that they are given to returns; what is referred to has to live so long.
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class Function>
  requires(!std::same_as<std::remove_cvref_t<Function>, function_ref> &&
           std::is_invocable_r_v<Result, Function&, Arguments...>) function_ref(Function&& function)
  noexcept  // NOLINT: converts, as std::function does
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Arguments... arguments) -> Result {
          auto& callee = *static_cast<std::remove_reference_t<Function>*>(object);
          if constexpr (std::is_void_v<Result>) {
            std::invoke(callee, std::forward<Arguments>(arguments)...);
          } else {
            return std::invoke(callee, std::forward<Arguments>(arguments)...);
          }
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace hocket
