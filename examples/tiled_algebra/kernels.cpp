// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "kernels.hpp"

#include <algorithm>

#include "device_text.hpp"
#include "lapack.hpp"

namespace tiled {

using namespace hocket;

namespace {

using tile = buffer_view<float, 2>;
using const_tile = buffer_view<const float, 2>;

blasint edge_of(const tile& a) { return static_cast<blasint>(a.extent(0)); }

/// What a kernel costs that does `count` operations for each element of a cube with the edge of a
/// tile: the bytes of all tiles count once.
auto cubes(double count) {
  return [count](const launch_shape& shape) {
    const auto edge = static_cast<double>(shape[0][0]);
    double elements = 0;
    for (const index_list& each : shape) elements += static_cast<double>(volume(each));
    return launch_work{count * edge * edge * edge, elements * sizeof(float)};
  };
}

/// LU of n x n elements by halves, so that almost everything is products.
void factorize(blasint n, float* a, blasint lda) {
  constexpr blasint small = 16;
  if (n <= small) {
    for (blasint k = 0; k + 1 < n; ++k) {
      cblas_sscal(n - k - 1, 1 / a[k * lda + k], a + k * lda + k + 1, 1);
      cblas_sger(CblasColMajor, n - k - 1, n - k - 1, -1, a + k * lda + k + 1, 1,
                 a + (k + 1) * lda + k, lda, a + (k + 1) * lda + k + 1, lda);
    }
    return;
  }
  const blasint m = n / 2, rest = n - m;
  float *below = a + m, *right = a + m * lda, *corner = right + m;
  factorize(m, a, lda);
  cblas_strsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m, rest, 1, a, lda,
              right, lda);
  cblas_strsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rest, m, 1, a, lda,
              below, lda);
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rest, rest, m, -1, below, lda, right, lda,
              1, corner, lda);
  factorize(rest, corner, lda);
}

/// A factor of reflectors has a row for each reflector of a block.
template <class T>
blasint block_of(const buffer_view<T, 2>& t) {
  return static_cast<blasint>(t.extent(1));
}

}  // namespace

product_kernel make_gemm(bool transpose_b) {
  return product_kernel{
      "gemm", host_body{[transpose_b](float factor, const_tile a, const_tile b, tile c) {
        const blasint n = edge_of(c);
        cblas_sgemm(CblasColMajor, CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans, n, n, n,
                    factor, a.data(), n, b.data(), n, 1, c.data(), n);
      }}}
      .cost(cubes(2))
      .with(gemm_texts(transpose_b));
}

update_kernel make_syrk() {
  return update_kernel{"syrk", host_body{[](const_tile a, tile c) {
                         const blasint n = edge_of(c);
                         cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, -1, a.data(), n,
                                     1, c.data(), n);
                       }}}
      .cost(cubes(1))
      .with(syrk_texts());
}

update_kernel make_trsm(triangular_system solved) {
  return update_kernel{
      "trsm", host_body{[solved](const_tile t, tile a) {
        const blasint n = edge_of(a);
        const bool left = solved == triangular_system::unit_lower_x;
        cblas_strsm(CblasColMajor, left ? CblasLeft : CblasRight,
                    solved == triangular_system::x_upper ? CblasUpper : CblasLower,
                    solved == triangular_system::x_lower_transposed ? CblasTrans : CblasNoTrans,
                    left ? CblasUnit : CblasNonUnit, n, n, 1, t.data(), n, a.data(), n);
      }}}
      .cost(cubes(1))
      .with(trsm_texts(solved));
}

factor_kernel make_potrf() {
  return factor_kernel{"potrf", host_body{[](tile a) { lapack::potrf(edge_of(a), a.data()); }}}
      .cost(cubes(1.0 / 3));
}

factor_kernel make_getrf() {
  return factor_kernel{"getrf",
                       host_body{[](tile a) { factorize(edge_of(a), a.data(), edge_of(a)); }}}
      .cost(cubes(2.0 / 3));
}

std::size_t reflector_block(std::size_t edge) { return std::min<std::size_t>(edge, 32); }

kernel<tile_inout, tile_out, tile_out> make_geqrt() {
  return kernel<tile_inout, tile_out, tile_out>{
      "geqrt", host_body{[](tile a, tile v, tile t) {
        lapack::geqrt(edge_of(a), block_of(t), a.data(), t.data());
        std::copy(a.begin(), a.end(), v.begin());
        for (std::size_t q = 0; q < a.extent(0); ++q)
          std::fill(&a(q, q) + 1, &a(q, 0) + a.extent(1), 0.0F);
      }}}
      .cost(cubes(4.0 / 3));
}

kernel<tile_in, tile_in, tile_inout> make_unmqr() {
  return kernel<tile_in, tile_in, tile_inout>{
      "unmqr", host_body{[](const_tile v, const_tile t, tile c) {
        const blasint n = edge_of(c);
        lapack::gemqrt("T", n, n, block_of(t), v.data(), t.data(), c.data());
      }}}
      .cost(cubes(2));
}

kernel<tile_inout, tile_inout, tile_out> make_tsqrt() {
  return kernel<tile_inout, tile_inout, tile_out>{"tsqrt", host_body{[](tile r, tile a, tile t) {
                                                    lapack::tpqrt(edge_of(a), block_of(t), r.data(),
                                                                  a.data(), t.data());
                                                  }}}
      .cost(cubes(2));
}

kernel<tile_in, tile_in, tile_inout, tile_inout> make_tsmqr() {
  return kernel<tile_in, tile_in, tile_inout, tile_inout>{
      "tsmqr", host_body{[](const_tile v, const_tile t, tile above, tile below) {
        const blasint n = edge_of(below);
        lapack::tpmqrt("T", n, n, block_of(t), v.data(), t.data(), above.data(), below.data());
      }}}
      .cost(cubes(4));
}

}  // namespace tiled
