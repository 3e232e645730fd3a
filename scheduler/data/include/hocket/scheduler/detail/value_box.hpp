// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <hocket/core/dtype.hpp>

namespace hocket::detail {

/// Where a function with accesses leaves a value that is no number; numbers go through the memory
/// of buffers. The function and the state of its future keep it.
class value_box : public boost::intrusive_ref_counter<value_box> {
 public:
  value_box(const value_box&) = delete;
  value_box& operator=(const value_box&) = delete;
  virtual ~value_box() = default;

  /// Null until the function has returned.
  [[nodiscard]] virtual const void* value() const noexcept = 0;

 protected:
  value_box() = default;
};
using value_box_ptr = boost::intrusive_ptr<value_box>;

template <class T>
class value_box_of final : public value_box {
 public:
  template <class V>
  void keep(V&& value) {
    value_.emplace(std::forward<V>(value));
  }
  [[nodiscard]] const void* value() const noexcept override { return value_ ? &*value_ : nullptr; }

 private:
  std::optional<T> value_;
};

/// True if the value of a function with accesses goes through a box.
template <class T>
inline constexpr bool is_boxed = !std::is_void_v<T> && !number_element<T>;

}  // namespace hocket::detail
