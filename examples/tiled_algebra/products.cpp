// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tiled {

namespace {

double element(float stored, part which, std::size_t row, std::size_t column) {
  if (row == column && which == part::unit_lower) return 1;
  const bool below = row > column, above = row < column;
  if (below && which == part::upper) return 0;
  if (above && (which == part::lower || which == part::unit_lower)) return 0;
  return stored;
}

/// Calls f(row, column, value) for each element.
template <class F>
void for_each_element(const tile_matrix& a, part which, const F& f) {
  const std::size_t edge = a.edge();
  for (std::size_t i = 0; i < a.tiles(); ++i) {
    for (std::size_t j = 0; j < a.tiles(); ++j) {
      const auto tile = a(i, j).read();
      for (std::size_t q = 0; q < edge; ++q) {
        for (std::size_t p = 0; p < edge; ++p) {
          const std::size_t row = i * edge + p, column = j * edge + q;
          f(row, column, element(tile(q, p), which, row, column));
        }
      }
    }
  }
}

}  // namespace

real_vector random_vector(std::size_t order) {
  const content numbers{.seed = 77};
  real_vector made(order);
  for (std::size_t i = 0; i < order; ++i) made[i] = numbers.at(i, order);
  return made;
}

real_vector multiply(const tile_matrix& a, part which, const real_vector& x) {
  real_vector y(a.order());
  for_each_element(a, which, [&](std::size_t row, std::size_t column, double value) {
    y[row] += value * x[column];
  });
  return y;
}

real_vector multiply_transposed(const tile_matrix& a, part which, const real_vector& x) {
  real_vector y(a.order());
  for_each_element(a, which, [&](std::size_t row, std::size_t column, double value) {
    y[column] += value * x[row];
  });
  return y;
}

real_vector multiply(const content& a, const real_vector& x) {
  real_vector y(x.size());
  for (std::size_t row = 0; row < x.size(); ++row) {
    for (std::size_t column = 0; column < x.size(); ++column) {
      y[row] += static_cast<double>(a.at(row, column)) * x[column];
    }
  }
  return y;
}

double norm(const content& a, std::size_t order) {
  double found = 0;
  for (std::size_t row = 0; row < order; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < order; ++column) sum += std::abs(a.at(row, column));
    found = std::max(found, sum);
  }
  return found;
}

double largest(const real_vector& x) {
  double found = 0;
  for (const double each : x) found = std::max(found, std::abs(each));
  return found;
}

double relative_difference(const real_vector& x, const real_vector& y, double scale) {
  double found = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(x[i] - y[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    found = std::max(found, difference);
  }
  return found / (scale * std::numeric_limits<float>::epsilon());
}

}  // namespace tiled
