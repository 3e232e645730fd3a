// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <hocket/scheduler/check_counts.hpp>
#include <hocket/scheduler/runtime.hpp>

namespace hocket {

/// How a product of matrices is checked.
struct gemm_check_options {
  task_options task = {};  ///< of the product; its label also names the check in messages
  /// A share of the largest sum of rounding errors that is possible. With 1 no correct product is
  /// found to be wrong, and a wrong element is found that is further off than such a sum. Smaller
  /// shares find smaller errors; those of random numbers are below a hundredth of the bound.
  double tolerance = 1;
  std::size_t attempts = 3;           ///< how often the product is made at most
  check_counts_ref counts = nullptr;  ///< counts what is found; null: nothing is counted
};

namespace detail {

/// A product of matrices, C = op(A) op(B) or C += op(A) op(B).
template <class T>
struct checked_product {
  bool transpose_a, transpose_b, accumulates;
  region<T, 2> a, b, c;
};

template <class T>
[[nodiscard]] future<void> submit_checked(submitter& to, const gemm_check_options& options,
                                          const checked_product<T>& what);
extern template future<void> submit_checked(submitter&, const gemm_check_options&,
                                            const checked_product<float>&);
extern template future<void> submit_checked(submitter&, const gemm_check_options&,
                                            const checked_product<double>&);

template <class Family, class Other>
inline constexpr bool is_family = std::same_as<Family, std::remove_cvref_t<Other>>;

}  // namespace detail

/// Submits a product, given as one of ops::gemm_nn, gemm_nt and gemm_tn with its accesses, and
/// checks it by the sums of its rows and columns (Huang and Abraham, 1984), on whatever devices. A
/// single wrong element is located by its row and column and computed anew on the host, in double
/// precision; where more are wrong, the product is made again. If it is still wrong after the last
/// attempt, the future fails with data_corrupted, and the content of C is poisoned.
///
/// Checked are the result in memory and what the kernel computed, not A and B themselves. A row
/// whose sums are not finite is not checked: that of a matrix that has infinities or NaN.
///
/// Costs six passes over the matrices beside the product, vectors, one small task on the
/// host, and with updates(c) a copy of C. With resilience_kind::survive C is brought to the host,
/// which keeps what is checked for when a device is lost. Order: as for the product alone; what
/// uses C later waits for the check.
///
/// ```cpp
/// runtime rt;
/// const buffer<float, 2> a{rt, {64, 32}, 1.0f}, b{rt, {32, 16}, 2.0f}, c{rt, {64, 16}, "c"};
/// const auto counts = std::make_shared<check_counts>();
/// checked_gemm(rt, {.counts = counts}, ops::gemm_nn, reads(a), reads(b), writes(c)).get();
/// std::printf("%llu\n", static_cast<unsigned long long>(counts->differed));
/// ```
template <class Family, std::floating_point T, access_mode Mode>
future<void> checked_gemm(submitter& to, const gemm_check_options& options, const Family&,
                          const access<T, 2, access_mode::read>& a,
                          const access<T, 2, access_mode::read>& b, const access<T, 2, Mode>& c) {
  constexpr bool nt = detail::is_family<Family, decltype(ops::gemm_nt)>;
  constexpr bool tn = detail::is_family<Family, decltype(ops::gemm_tn)>;
  static_assert(nt || tn || detail::is_family<Family, decltype(ops::gemm_nn)>,
                "checked_gemm checks ops::gemm_nn, ops::gemm_nt and ops::gemm_tn.");
  static_assert(Mode != access_mode::read, "The product is written: writes(c) or updates(c).");
  return detail::submit_checked<T>(to, options,
                                   {.transpose_a = tn,
                                    .transpose_b = nt,
                                    .accumulates = Mode == access_mode::update,
                                    .a = {a.what},
                                    .b = {b.what},
                                    .c = {c.what}});
}

}  // namespace hocket
