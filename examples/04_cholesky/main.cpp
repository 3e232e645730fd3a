// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A factorization in tiles, written down as one does on paper. What the tasks read and write gives
// their order: nothing waits for a whole step, and tiles move to the devices that use them.

#include <cstdio>
#include <stdexcept>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

constexpr std::size_t tiles = 6, side = 96, order = tiles * side;

region<float, 2> tile(const buffer<float, 2>& of, std::size_t i, std::size_t j) {
  return of.tile({i * side, j * side}, {(i + 1) * side, (j + 1) * side});
}

/// The lower triangle of A becomes L, with A = L L^T.
void factorize(submitter& to, const buffer<float, 2>& a) {
  for (std::size_t k = 0; k < tiles; ++k) {
    to.submit(ops::potrf_lower, updates(tile(a, k, k)));
    for (std::size_t i = k + 1; i < tiles; ++i) {
      to.submit(ops::trsm_right_lower_transposed, reads(tile(a, k, k)), updates(tile(a, i, k)));
    }
    for (std::size_t j = k + 1; j < tiles; ++j) {
      to.submit(ops::syrk_lower, -1.0F, reads(tile(a, j, k)), 1.0F, updates(tile(a, j, j)));
      for (std::size_t i = j + 1; i < tiles; ++i) {
        to.submit(ops::gemm_nt, -1.0F, reads(tile(a, i, k)), reads(tile(a, j, k)), 1.0F,
                  updates(tile(a, i, j)));
      }
    }
  }
}

/// Symmetric, and positive definite: the diagonal outweighs each row.
void make_symmetric(buffer_view<float, 2> a) {
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t j = 0; j < i; ++j) a(j, i) = a(i, j);
    a(i, i) = order;
  }
}

void clear_above_diagonal(buffer_view<float, 2> l) {
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t j = i + 1; j < order; ++j) l(i, j) = 0;
  }
}

}  // namespace

int main() try {
  runtime rt;
  const buffer<float, 2> a{rt, {order, order}, "A"}, given{rt, {order, order}, "given"};
  rt.submit(ops::random_uniform, 1U, 0U, writes(a));
  rt.submit({.label = "make symmetric"}, make_symmetric, updates(a));
  rt.submit(ops::copy, reads(a), writes(given));

  factorize(rt, a);

  // A - L L^T, by tasks that are ordered after the factorization.
  rt.submit({.label = "clear above diagonal"}, clear_above_diagonal, updates(a));
  rt.submit(ops::gemm_nt, -1.0F, reads(a), reads(a), 1.0F, updates(given));
  const float residual = rt.submit(ops::max_magnitude, reads(given)).get() / order;
  std::printf("%zu tiles, relative residual %g\n", tiles * (tiles + 1) / 2, residual);
  if (!(residual < 1e-5F)) throw std::runtime_error("L is not a factor of A.");
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("04_cholesky");
}
