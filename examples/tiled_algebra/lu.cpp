// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cmath>

#include "algorithms.hpp"
#include "kernels.hpp"
#include "products.hpp"

namespace tiled {

using namespace hocket;

namespace {

/// A = L U of a diagonally dominant matrix, which needs no exchanges of rows, in place.
class lu final : public algorithm {
 public:
  lu(runtime& rt, std::size_t tiles, std::size_t edge)
      : a_(rt, tiles, edge, "A"), given_{.diagonal = static_cast<float>(a_.order()) / 2} {}

  void generate(runtime& rt, device_handle on) override { a_.generate(rt, given_, on); }

  void submit(submitter& to) override {
    for (std::size_t k = 0; k < a_.tiles(); ++k) {
      to.submit(getrf_, updates(a_(k, k)));
      for (std::size_t i = k + 1; i < a_.tiles(); ++i) {
        to.submit(trsm_of_l_, reads(a_(k, k)), updates(a_(i, k)));
        to.submit(trsm_of_u_, reads(a_(k, k)), updates(a_(k, i)));
      }
      for (std::size_t i = k + 1; i < a_.tiles(); ++i) {
        for (std::size_t j = k + 1; j < a_.tiles(); ++j) {
          to.submit(gemm_, -1.0F, reads(a_(i, k)), reads(a_(k, j)), updates(a_(i, j)));
        }
      }
    }
  }

  [[nodiscard]] double residual() const override {
    const real_vector x = random_vector(a_.order());
    const real_vector product = multiply(a_, part::unit_lower, multiply(a_, part::upper, x));
    return relative_difference(product, multiply(given_, x), norm(given_, a_.order()) * largest(x));
  }

  [[nodiscard]] double flops() const override {
    return 2 * std::pow(static_cast<double>(a_.order()), 3) / 3;
  }

 private:
  tile_matrix a_;
  content given_;
  factor_kernel getrf_ = make_getrf();
  update_kernel trsm_of_l_ = make_trsm(triangular_system::x_upper);
  update_kernel trsm_of_u_ = make_trsm(triangular_system::unit_lower_x);
  product_kernel gemm_ = make_gemm(false);
};

}  // namespace

std::unique_ptr<algorithm> make_lu(runtime& rt, std::size_t tiles, std::size_t edge) {
  return std::make_unique<lu>(rt, tiles, edge);
}

}  // namespace tiled
