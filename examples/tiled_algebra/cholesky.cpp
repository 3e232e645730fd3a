// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cmath>

#include "algorithms.hpp"
#include "kernels.hpp"
#include "products.hpp"

namespace tiled {

using namespace hocket;

namespace {

/// With more than this on the diagonal a random symmetric matrix is positive definite: without it
/// the eigenvalues are at most about 0.58 times the root of the order.
float diagonal_of_definite(std::size_t order) {
  return 1 + static_cast<float>(std::sqrt(static_cast<double>(order)));
}

/// A = L L^T of a positive definite matrix, in its lower triangle.
class cholesky final : public algorithm {
 public:
  cholesky(runtime& rt, std::size_t tiles, std::size_t edge)
      : a_(rt, tiles, edge, "A"),
        given_{.symmetric = true, .diagonal = diagonal_of_definite(a_.order())} {}

  void generate(runtime& rt, device_handle on) override { a_.generate(rt, given_, on); }

  void submit(submitter& to) override {
    for (std::size_t k = 0; k < a_.tiles(); ++k) {
      to.submit(potrf_, updates(a_(k, k)));
      for (std::size_t i = k + 1; i < a_.tiles(); ++i) {
        to.submit(trsm_, reads(a_(k, k)), updates(a_(i, k)));
      }
      for (std::size_t j = k + 1; j < a_.tiles(); ++j) {
        to.submit(syrk_, reads(a_(j, k)), updates(a_(j, j)));
        for (std::size_t i = j + 1; i < a_.tiles(); ++i) {
          to.submit(gemm_, -1.0F, reads(a_(i, k)), reads(a_(j, k)), updates(a_(i, j)));
        }
      }
    }
  }

  [[nodiscard]] double residual() const override {
    const real_vector x = random_vector(a_.order());
    const real_vector product = multiply(a_, part::lower, multiply_transposed(a_, part::lower, x));
    return relative_difference(product, multiply(given_, x), norm(given_, a_.order()) * largest(x));
  }

  [[nodiscard]] double flops() const override {
    return std::pow(static_cast<double>(a_.order()), 3) / 3;
  }

 private:
  tile_matrix a_;
  content given_;
  factor_kernel potrf_ = make_potrf();
  update_kernel trsm_ = make_trsm(triangular_system::x_lower_transposed);
  update_kernel syrk_ = make_syrk();
  product_kernel gemm_ = make_gemm(true);
};

}  // namespace

std::unique_ptr<algorithm> make_cholesky(runtime& rt, std::size_t tiles, std::size_t edge) {
  return std::make_unique<cholesky>(rt, tiles, edge);
}

}  // namespace tiled
