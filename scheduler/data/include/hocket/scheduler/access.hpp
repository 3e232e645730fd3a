// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <functional>
#include <limits>

#include <hocket/kernels/signature.hpp>
#include <hocket/scheduler/buffer.hpp>

namespace hocket {

/// How a task uses a region; made by reads, writes and updates.
///
/// ```cpp
/// runtime rt;
/// const buffer<float> x{rt, 100, 1.0f}, y{rt, 100, "y"};
/// rt.submit(ops::copy, reads(x), writes(y));
/// rt.submit([](buffer_view<const float> a, buffer_view<float> b) { b(0) += a(0); },  //
///           reads(x), updates(y));
/// ```
template <element T, std::size_t R, access_mode Mode>
struct access {
  detail::region_ref what;
};

/// The task needs the content and leaves it.
template <element T, std::size_t R>
[[nodiscard]] access<T, R, access_mode::read> reads(const region<T, R>& what) {
  return {what.ref()};
}

/// The task replaces all of the content and never sees the old one.
template <element T, std::size_t R>
[[nodiscard]] access<T, R, access_mode::write> writes(const region<T, R>& what) {
  return {what.writable_ref()};
}

/// The task needs the content and replaces it.
template <element T, std::size_t R>
[[nodiscard]] access<T, R, access_mode::update> updates(const region<T, R>& what) {
  return {what.writable_ref()};
}

/// The operations of reduces(): plus{}, which is the standard library's own, so that the two names
/// do not collide, maximum{} and minimum{}.
using std::plus;
struct maximum {};
struct minimum {};

namespace detail {

/// The value that a reduction starts from.
template <class Op, class T>
inline constexpr T start_of{};
template <class T>
inline constexpr T start_of<maximum, T> = std::numeric_limits<T>::has_infinity
                                              ? static_cast<T>(-std::numeric_limits<T>::infinity())
                                              : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T start_of<minimum, T> = std::numeric_limits<T>::has_infinity
                                              ? std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::max();

template <class Op>
concept combines =
    std::same_as<Op, plus<void>> || std::same_as<Op, maximum> || std::same_as<Op, minimum>;

}  // namespace detail

/// The task combines something with the content: it updates a partial of its own that starts with
/// the identity, and the partials are combined in the order of submission. Tasks that reduce the
/// same region run side by side, and the bits of the result do not depend on which ended first. The
/// kernel takes it as inout_buffer<T, R>.
template <element T, std::size_t R, class Op>
struct reduction_access {
  region<T, R> what;
};
template <element T, std::size_t R, detail::combines Op>
[[nodiscard]] reduction_access<T, R, Op> reduces(const region<T, R>& what, Op) {
  static_assert(number_element<T> && !std::same_as<T, bool>,
                "Tasks reduce numbers into a region: not truths, complex numbers or structures.");
  (void)what.writable_ref();
  return {what};
}

/// Memory for the task's own use, without content at first and gone when it ends. The kernel takes
/// it as out_buffer<T, R>.
template <element T, std::size_t R>
struct scratch_access {
  shape<R> extents;
};
template <element T>
[[nodiscard]] scratch_access<T, 1> scratch(std::size_t extent) {
  return {{extent}};
}
template <element T, std::size_t R>
[[nodiscard]] scratch_access<T, R> scratch(const shape<R>& extents) {
  return {extents};
}

}  // namespace hocket
