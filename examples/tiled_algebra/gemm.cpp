// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cmath>

#include "algorithms.hpp"
#include "kernels.hpp"
#include "products.hpp"

namespace tiled {

using namespace hocket;

namespace {

/// C = C + A B.
class gemm final : public algorithm {
 public:
  gemm(runtime& rt, std::size_t tiles, std::size_t edge)
      : a_(rt, tiles, edge, "A"), b_(rt, tiles, edge, "B"), c_(rt, tiles, edge, "C") {}

  void generate(runtime& rt, device_handle on) override {
    a_.generate(rt, given_a_, on);
    b_.generate(rt, given_b_, on);
    c_.generate(rt, given_c_, on);
  }

  void submit(submitter& to) override {
    const std::size_t tiles = c_.tiles();
    for (std::size_t i = 0; i < tiles; ++i) {
      for (std::size_t j = 0; j < tiles; ++j) {
        for (std::size_t k = 0; k < tiles; ++k) {
          to.submit(gemm_, 1.0F, reads(a_(i, k)), reads(b_(k, j)), updates(c_(i, j)));
        }
      }
    }
  }

  [[nodiscard]] double residual() const override {
    const real_vector x = random_vector(c_.order());
    const real_vector of_b = multiply(given_b_, x), before = multiply(given_c_, x);
    real_vector exact = multiply(given_a_, of_b);
    for (std::size_t i = 0; i < exact.size(); ++i) exact[i] += before[i];
    const double scale = norm(given_a_, c_.order()) * largest(of_b) + largest(before);
    return relative_difference(multiply(c_, part::all, x), exact, scale);
  }

  [[nodiscard]] double flops() const override {
    return 2 * std::pow(static_cast<double>(c_.order()), 3);
  }

 private:
  tile_matrix a_, b_, c_;
  content given_a_{.seed = 1}, given_b_{.seed = 2}, given_c_{.seed = 3};
  product_kernel gemm_ = make_gemm(false);
};

}  // namespace

std::unique_ptr<algorithm> make_gemm_of_tiles(runtime& rt, std::size_t tiles, std::size_t edge) {
  return std::make_unique<gemm>(rt, tiles, edge);
}

}  // namespace tiled
