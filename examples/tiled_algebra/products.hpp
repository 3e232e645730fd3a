// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include "tile_matrix.hpp"

namespace tiled {

/// A vector, and products with it, in double precision.
using real_vector = std::vector<double>;

[[nodiscard]] real_vector random_vector(std::size_t order);

/// Which elements of a matrix count; the others are zero, the diagonal of unit_lower one.
enum class part { all, lower, unit_lower, upper };

/// A x, or A^T x. Waits for the tasks that write the matrix.
[[nodiscard]] real_vector multiply(const tile_matrix& a, part which, const real_vector& x);
[[nodiscard]] real_vector multiply_transposed(const tile_matrix& a, part which,
                                              const real_vector& x);

/// A x, and the largest sum of absolute values of a row of A, of a generated matrix.
[[nodiscard]] real_vector multiply(const content& a, const real_vector& x);
[[nodiscard]] double norm(const content& a, std::size_t order);

/// The largest absolute value of an element.
[[nodiscard]] double largest(const real_vector& x);

/// The largest difference of two vectors, divided by a scale and the precision of float. Infinite
/// if an element is not finite.
[[nodiscard]] double relative_difference(const real_vector& x, const real_vector& y, double scale);

}  // namespace tiled
