// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <hocket/scheduler/detail/launch_lane.hpp>
#include <hocket/scheduler/detail/value_box.hpp>

namespace hocket::detail {

/// A function that can be copied: the copies share one that cannot be, or that may change itself.
template <class F, class... Params>
class shared_function {
 public:
  explicit shared_function(F&& function) : function_(std::make_shared<F>(std::move(function))) {}

  decltype(auto) operator()(Params... params) const { return std::invoke(*function_, params...); }

 private:
  std::shared_ptr<F> function_;
};

/// A function whose value is left in a box; without a box it is dropped, as in a recording.
template <class T, class F, class... Params>
class boxing_function {
 public:
  boxing_function(F&& function, boost::intrusive_ptr<value_box_of<T>> box)
      : function_(std::move(function)), box_(std::move(box)) {}

  void operator()(Params... params) const {
    if (box_ != nullptr) {
      box_->keep(std::invoke(function_, params...));
    } else {
      (void)std::invoke(function_, params...);
    }
  }

 private:
  F function_;
  boost::intrusive_ptr<value_box_of<T>> box_;
};

template <class F, class... Params>
inline constexpr std::uint32_t function_bytes<shared_function<F, Params...>> = sizeof(F);
template <class T, class F, class... Params>
inline constexpr std::uint32_t function_bytes<boxing_function<T, F, Params...>> =
    sizeof(F) + sizeof(T) + function_bytes<F>;

/// The function as a kernel can have it, that calls it as a constant and may copy it.
template <class... Params, class F>
[[nodiscard]] auto as_host_body(F&& function) {
  if constexpr (std::is_copy_constructible_v<F> && std::is_invocable_v<const F&, Params...>) {
    return std::forward<F>(function);
  } else {
    return shared_function<F, Params...>(std::forward<F>(function));
  }
}

}  // namespace hocket::detail
