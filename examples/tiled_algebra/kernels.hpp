// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/hocket.hpp>

/// The kernels of tiled algorithms. Tiles are square and stored column by column. All have bodies
/// for the host, by OpenBLAS; products and triangular solves also have texts for devices.
namespace tiled {

using tile_in = hocket::in_buffer<float, 2>;
using tile_out = hocket::out_buffer<float, 2>;
using tile_inout = hocket::inout_buffer<float, 2>;

/// C += factor A B, or C += factor A B^T.
using product_kernel = hocket::kernel<float, tile_in, tile_in, tile_inout>;
[[nodiscard]] product_kernel make_gemm(bool transpose_b);

/// The lower triangle of C -= A A^T.
using update_kernel = hocket::kernel<tile_in, tile_inout>;
[[nodiscard]] update_kernel make_syrk();

/// Which triangular system a kernel solves for X, which replaces A; the first argument is T.
enum class triangular_system {
  x_lower_transposed,  ///< X T^T = A with the lower triangle of T
  x_upper,             ///< X T = A with the upper triangle of T
  unit_lower_x         ///< T X = A with the lower triangle of T, whose diagonal is one
};
[[nodiscard]] update_kernel make_trsm(triangular_system solved);

/// The Cholesky factorization A = L L^T: the lower triangle becomes L. Throws if there is none.
using factor_kernel = hocket::kernel<tile_inout>;
[[nodiscard]] factor_kernel make_potrf();

/// The LU factorization without exchanges of rows: A becomes U and, below the diagonal, L.
[[nodiscard]] factor_kernel make_getrf();

/// How many Householder reflectors are applied at a time to tiles with this edge.
[[nodiscard]] std::size_t reflector_block(std::size_t edge);

/// A = Q R: A becomes R, the second argument the reflectors, the third their triangular factors.
[[nodiscard]] hocket::kernel<tile_inout, tile_out, tile_out> make_geqrt();

/// C = Q^T C with the reflectors and factors of geqrt.
[[nodiscard]] hocket::kernel<tile_in, tile_in, tile_inout> make_unmqr();

/// QR of the triangle R above the square A, which becomes the reflectors.
[[nodiscard]] hocket::kernel<tile_inout, tile_inout, tile_out> make_tsqrt();

/// Multiplies two tiles, one above the other, by the Q^T of tsqrt.
[[nodiscard]] hocket::kernel<tile_in, tile_in, tile_inout, tile_inout> make_tsmqr();

}  // namespace tiled
