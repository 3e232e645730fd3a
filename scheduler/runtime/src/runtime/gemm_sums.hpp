// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include <hocket/core/error.hpp>
#include <hocket/scheduler/buffer.hpp>

namespace hocket::detail {

/// The sums of the rows, or of the columns, of a product in three parts of one buffer: what they
/// have to be, the same sums of absolute values, and what they are.
template <class T>
struct gemm_sums {
  gemm_sums(runtime& home, std::size_t count) : count(count), all(home, 3 * count) {}

  [[nodiscard]] region<T, 1> expected() const { return all.rows(0, count); }
  [[nodiscard]] region<T, 1> bound() const { return all.rows(count, 2 * count); }
  [[nodiscard]] region<T, 1> found() const { return all.rows(2 * count, 3 * count); }

  const std::size_t count;
  const buffer<T> all;
};

/// The sums that are wrong.
struct wrong_sums {
  std::size_t count = 0;
  std::size_t first = 0;  ///< if there is one
};

/// The largest difference that rounding can make between what a sum has to be and what it is, as a
/// factor of the sum of absolute values. terms: of the longest chain of additions that leads to
/// either of them.
///
/// An inner product of n terms is off by at most gamma_n = n u / (1 - n u) times the product of
/// absolute values (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). The
/// product, the sum of a row of it, and the two inner products that make the expected sum are off
/// by gamma_k |A||B|e, gamma_n |A||B|e, and as much once more.
template <class T>
[[nodiscard]] double rounding_limit(std::size_t terms) {
  const double share = static_cast<double>(terms) * std::numeric_limits<T>::epsilon() / 2;
  return share < 1 ? 2 * share / (1 - share) : std::numeric_limits<double>::infinity();
}

/// Compares the sums. One whose bound is not finite is not looked at; one that is no number is
/// wrong.
template <class T>
[[nodiscard]] wrong_sums find_wrong(const buffer_view<const T>& all, double limit) {
  wrong_sums made;
  const std::size_t count = all.extent(0) / 3;
  for (std::size_t i = 0; i < count; ++i) {
    const auto expected = static_cast<double>(all(i));
    const auto bound = static_cast<double>(all(count + i));
    const auto found = static_cast<double>(all(2 * count + i));
    if (!std::isfinite(bound) || !std::isfinite(expected)) continue;
    // Devices may take numbers below the least normal one for zero.
    const double largest = limit * bound + std::numeric_limits<T>::min();
    if (std::abs(found - expected) <= largest) continue;
    if (made.count++ == 0) made.first = i;
  }
  return made;
}

/// How a product fails that is wrong after all attempts. task and buffer are labels.
[[nodiscard]] failure wrong_product(const std::string& task, const std::string& buffer,
                                    std::size_t attempts, const wrong_sums& rows,
                                    const wrong_sums& columns);

}  // namespace hocket::detail
