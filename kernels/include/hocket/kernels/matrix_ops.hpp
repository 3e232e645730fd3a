// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/kernels/ops.hpp>

/// Operations of linear algebra on triangles of matrices, as tiled factorizations need them.
/// Matrices are row-major. Of a square matrix with a lower triangle nothing above the diagonal is
/// read or written.
namespace hocket::ops {

namespace detail {

struct syrk_lower_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<T, in_buffer<T, 2>, T, inout_buffer<T, 2>>;
  template <class T>
  static const type<T>& instance();
};

/// The systems that a triangular solve is for: L X = B, L^T X = B, X L^T = B.
enum class triangular_system { lower, lower_transposed, right_lower_transposed };

template <triangular_system Solved>
struct trsm_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<in_buffer<T, 2>, inout_buffer<T, 2>>;
  template <class T>
  static const type<T>& instance();
};

struct potrf_lower_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<inout_buffer<T, 2>>;
  template <class T>
  static const type<T>& instance();
};

struct getrf_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<inout_buffer<T, 2>, out_buffer<std::int32_t>>;
  template <class T>
  static const type<T>& instance();
};

}  // namespace detail

/// The lower triangle of C[n,n] = alpha A[n,k] A^T + beta C: syrk_lower(alpha, reads(a), beta,
/// updates(c)). As in gemm_nn, what is scaled by zero does not matter.
inline constexpr detail::builtin<detail::syrk_lower_op> syrk_lower;

/// Solves L[m,m] X = B[m,n] for X, which replaces B; L is a lower triangle: trsm_lower(reads(l),
/// updates(b)). A zero on the diagonal gives infinities or NaN, in the next two as well. Meant for
/// tiles: on devices one work-item solves for a column of X, and in the last of the three for a
/// row.
inline constexpr detail::builtin<detail::trsm_op<detail::triangular_system::lower>> trsm_lower;

/// Solves L[m,m]^T X = B[m,n]: trsm_lower_transposed(reads(l), updates(b)).
inline constexpr detail::builtin<detail::trsm_op<detail::triangular_system::lower_transposed>>
    trsm_lower_transposed;

/// Solves X L[n,n]^T = B[m,n]: trsm_right_lower_transposed(reads(l), updates(b)).
inline constexpr detail::builtin<detail::trsm_op<detail::triangular_system::right_lower_transposed>>
    trsm_right_lower_transposed;

/// The Cholesky factorization A[n,n] = L L^T, where L replaces the lower triangle of A:
/// potrf_lower(updates(a)). For the host alone. A matrix that is not positive definite, or has NaN
/// in the triangle, fails the task, and what is in the triangle then is undefined.
inline constexpr detail::builtin<detail::potrf_lower_op> potrf_lower;

/// The factorization P A[m,n] = L U with partial pivoting: getrf(updates(a), writes(pivots)). U
/// replaces A on and above the diagonal, and L, whose diagonal is of ones, below it. Row i was
/// exchanged with row pivots(i), counted from zero, one after the other; there are as many as the
/// lesser extent says. For the host alone. A zero on the diagonal of U fails the task, and what is
/// in A then is undefined.
inline constexpr detail::builtin<detail::getrf_op> getrf;

}  // namespace hocket::ops
