// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/kernels/ops.hpp>

namespace hocket::ops {

namespace detail {

template <bool OfColumns>
struct checksum_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type =
      kernel<in_buffer<T, 2>, in_buffer<T, 1>, in_buffer<T, 1>, out_buffer<T, 1>, out_buffer<T, 1>>;
  template <class T>
  static const type<T>& instance();
};

}  // namespace detail

/// y[m] = A[m,n] x[n], and z[m] = |A| w[n] with the absolute values of the elements of A:
/// row_checksums(reads(a), reads(x), reads(w), writes(y), writes(z)). With ones for x and w these
/// are the sums of rows; z bounds how far rounding may put y off.
inline constexpr detail::builtin<detail::checksum_op<false>> row_checksums;

/// y[n] = A[m,n]^T x[m], and z[n] = |A|^T w[m]; otherwise as row_checksums.
inline constexpr detail::builtin<detail::checksum_op<true>> column_checksums;

}  // namespace hocket::ops
