// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/kernels/ops.hpp>

/// Operations on the elements of one buffer of any rank, in the order of its rows.
namespace hocket::ops {

namespace detail {

template <class T>
concept with_mean = real<T> || one_of<T, float16, bfloat16>;

struct mean_op {
  template <class T>
  static constexpr bool supports = with_mean<T>;
  template <class T>
  using type = kernel<returns<computed_t<T>>, in_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct norm_op {
  template <class T>
  static constexpr bool supports = with_mean<T>;
  template <class T>
  using type = kernel<returns<computed_t<T>>, in_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

template <bool Greatest>
struct extreme_place_op {
  template <class T>
  static constexpr bool supports = computable<T>;
  template <class T>
  using type = kernel<returns<std::uint32_t>, in_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

template <bool Inclusive>
struct scan_op {
  template <class T>
  static constexpr bool supports =
      real<T> || one_of<T, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
  template <class T>
  using type = kernel<in_buffer<T, any_rank>, out_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct sort_op {
  template <class T>
  static constexpr bool supports = scan_op<true>::supports<T>;
  template <class T>
  using type = kernel<inout_buffer<T, 1>>;
  template <class T>
  static const type<T>& instance();
};

struct random_uniform_op {
  template <class T>
  static constexpr bool supports = with_mean<T> || one_of<T, std::uint32_t>;
  template <class T>
  using type = kernel<std::uint32_t, std::uint32_t, out_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct random_normal_op {
  template <class T>
  static constexpr bool supports = one_of<T, float>;
  template <class T>
  using type = kernel<std::uint32_t, std::uint32_t, out_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

}  // namespace detail

/// The sum of the elements divided by their number, a float for numbers in 16 bits: mean(reads(x)).
/// NaN for an empty buffer.
inline constexpr detail::builtin<detail::mean_op> mean;

/// The square root of the sum of squares: norm(reads(x)). Squares of floats above 1.8e19 overflow,
/// as ops::max_magnitude tells beforehand.
inline constexpr detail::builtin<detail::norm_op> norm;

/// The place of the greatest element, counted row by row from the beginning of the region; the
/// first of equal ones, and of a NaN if there is one: argmax(reads(x)). Throws usage_error for a
/// region without elements, or with 2^32 and more.
inline constexpr detail::builtin<detail::extreme_place_op<true>> argmax;

/// The place of the least element, as argmax.
inline constexpr detail::builtin<detail::extreme_place_op<false>> argmin;

/// Each element of y is the sum of those of x up to its place: inclusive_scan(reads(x), writes(y)).
/// Integers wrap around. y may be x.
inline constexpr detail::builtin<detail::scan_op<true>> inclusive_scan;

/// Each element of y is the sum of those of x before its place, the first is zero. As
/// inclusive_scan otherwise.
inline constexpr detail::builtin<detail::scan_op<false>> exclusive_scan;

/// Puts the elements of a buffer of rank 1 into ascending order, -0 before 0 and every NaN last:
/// sort(updates(x)). The result has the same bits on every device. A device needs scratch memory of
/// the size of x.
inline constexpr detail::builtin<detail::sort_op> sort;

/// Numbers from 0 to below 1, all as probable, or words of 32 random bits:
/// random_uniform(seed, stream, writes(x)). Each element depends on seed, stream and its place
/// alone, and is the same on every device: word (place mod 4) of Philox4x32-10 with the key (seed,
/// stream) and the counter (place / 4, 0, 0, 0). Salmon et al., "Parallel random numbers: as easy
/// as 1, 2, 3", 2011. A double takes two words, of the places 2i and 2i + 1.
inline constexpr detail::builtin<detail::random_uniform_op> random_uniform;

/// Normal numbers with mean 0 and deviation 1, from the words of random_uniform at the places 2i
/// and 2i + 1 by the transform of Box and Muller: random_normal(seed, stream, writes(x)). Devices
/// round the functions in it in their own way.
inline constexpr detail::builtin<detail::random_normal_op> random_normal;

}  // namespace hocket::ops
