// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <cblas.h>

// Of LAPACK, which OpenBLAS contains, there is no header: these are its Fortran functions. Texts
// are followed by their lengths at the end.
extern "C" {
void spotrf_(const char* triangle, const blasint* n, float* a, const blasint* lda, blasint* info,
             std::size_t);
void sgeqrt_(const blasint* m, const blasint* n, const blasint* nb, float* a, const blasint* lda,
             float* t, const blasint* ldt, float* work, blasint* info);
void sgemqrt_(const char* side, const char* transpose, const blasint* m, const blasint* n,
              const blasint* k, const blasint* nb, const float* v, const blasint* ldv,
              const float* t, const blasint* ldt, float* c, const blasint* ldc, float* work,
              blasint* info, std::size_t, std::size_t);
void stpqrt_(const blasint* m, const blasint* n, const blasint* l, const blasint* nb, float* a,
             const blasint* lda, float* b, const blasint* ldb, float* t, const blasint* ldt,
             float* work, blasint* info);
void stpmqrt_(const char* side, const char* transpose, const blasint* m, const blasint* n,
              const blasint* k, const blasint* l, const blasint* nb, const float* v,
              const blasint* ldv, const float* t, const blasint* ldt, float* a, const blasint* lda,
              float* b, const blasint* ldb, float* work, blasint* info, std::size_t, std::size_t);
}

/// The functions of LAPACK that work on tiles: square, n x n, column by column, as one block of
/// memory. Triangular factors of reflectors have `block` rows.
namespace tiled::lapack {

/// A = L L^T; L replaces the lower triangle.
inline void potrf(blasint n, float* a) {
  blasint info = 0;
  spotrf_("L", &n, a, &n, &info, 1);
  if (info > 0) throw std::runtime_error("The matrix is not positive definite.");
}

/// A = Q R; R replaces the upper triangle, reflectors the rest.
inline void geqrt(blasint n, blasint block, float* a, float* t) {
  blasint info = 0;
  std::vector<float> work(static_cast<std::size_t>(n * block));
  sgeqrt_(&n, &n, &block, a, &n, t, &block, work.data(), &info);
}

/// Multiplies some columns of C by Q of geqrt, or by its transpose ("T"), from the left.
inline void gemqrt(const char* transpose, blasint n, blasint columns, blasint block, const float* v,
                   const float* t, float* c) {
  blasint info = 0;
  std::vector<float> work(static_cast<std::size_t>(columns * block));
  sgemqrt_("L", transpose, &n, &columns, &n, &block, v, &n, t, &block, c, &n, work.data(), &info, 1,
           1);
}

/// Of the triangle R above the square B: R is replaced by the new triangle, B by reflectors.
inline void tpqrt(blasint n, blasint block, float* r, float* b, float* t) {
  blasint info = 0;
  const blasint square = 0;
  std::vector<float> work(static_cast<std::size_t>(n * block));
  stpqrt_(&n, &n, &square, &block, r, &n, b, &n, t, &block, work.data(), &info);
}

/// Multiplies some columns of A above B by Q of tpqrt, or by its transpose ("T"), from the left.
inline void tpmqrt(const char* transpose, blasint n, blasint columns, blasint block, const float* v,
                   const float* t, float* a, float* b) {
  blasint info = 0;
  const blasint square = 0;
  std::vector<float> work(static_cast<std::size_t>(columns * block));
  stpmqrt_("L", transpose, &n, &columns, &n, &square, &block, v, &n, t, &block, a, &n, b, &n,
           work.data(), &info, 1, 1);
}

}  // namespace tiled::lapack
