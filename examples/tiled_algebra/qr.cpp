// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cmath>

#include <fmt/format.h>

#include "algorithms.hpp"
#include "kernels.hpp"
#include "lapack.hpp"
#include "products.hpp"

namespace tiled {

using namespace hocket;

namespace {

/// A = Q R: R replaces the upper triangle, reflectors the tiles below the diagonal.
class qr final : public algorithm {
 public:
  qr(runtime& rt, std::size_t tiles, std::size_t edge) : a_(rt, tiles, edge, "A") {
    for (std::size_t k = 0; k < tiles; ++k) {
      reflectors_.emplace_back(rt, shape<2>{edge, edge}, fmt::format("V({})", k));
    }
    const shape<2> extents{edge, reflector_block(edge)};
    for (std::size_t i = 0; i < tiles * tiles; ++i) {
      factors_.emplace_back(rt, extents, fmt::format("T({},{})", i / tiles, i % tiles));
    }
  }

  void generate(runtime& rt, device_handle on) override { a_.generate(rt, given_, on); }

  void submit(submitter& to) override {
    for (std::size_t k = 0; k < a_.tiles(); ++k) {
      to.submit(geqrt_, updates(a_(k, k)), writes(reflectors_[k]), writes(factor(k, k)));
      for (std::size_t j = k + 1; j < a_.tiles(); ++j) {
        to.submit(unmqr_, reads(reflectors_[k]), reads(factor(k, k)), updates(a_(k, j)));
      }
      for (std::size_t i = k + 1; i < a_.tiles(); ++i) {
        to.submit(tsqrt_, updates(a_(k, k)), updates(a_(i, k)), writes(factor(i, k)));
        for (std::size_t j = k + 1; j < a_.tiles(); ++j) {
          to.submit(tsmqr_, reads(a_(i, k)), reads(factor(i, k)), updates(a_(k, j)),
                    updates(a_(i, j)));
        }
      }
    }
  }

  [[nodiscard]] double residual() const override {
    const real_vector x = random_vector(a_.order());
    const real_vector product = multiply_by_q(multiply(a_, part::upper, x));
    return relative_difference(product, multiply(given_, x), norm(given_, a_.order()) * largest(x));
  }

  [[nodiscard]] double flops() const override {
    return 4 * std::pow(static_cast<double>(a_.order()), 3) / 3;
  }

 private:
  [[nodiscard]] const buffer<float, 2>& factor(std::size_t i, std::size_t k) const {
    return factors_[i * a_.tiles() + k];
  }

  /// Q x: the reflectors are applied in reverse.
  [[nodiscard]] real_vector multiply_by_q(const real_vector& x) const {
    std::vector<float> y(x.begin(), x.end());
    const auto edge = static_cast<blasint>(a_.edge());
    const auto block = static_cast<blasint>(reflector_block(a_.edge()));
    for (std::size_t k = a_.tiles(); k-- > 0;) {
      float* const top = y.data() + k * a_.edge();
      for (std::size_t i = a_.tiles(); --i > k;) {
        lapack::tpmqrt("N", edge, 1, block, a_(i, k).read().data(), factor(i, k).read().data(), top,
                       y.data() + i * a_.edge());
      }
      lapack::gemqrt("N", edge, 1, block, reflectors_[k].read().data(), factor(k, k).read().data(),
                     top);
    }
    return {y.begin(), y.end()};
  }

  tile_matrix a_;
  content given_{};
  std::vector<buffer<float, 2>> reflectors_;  ///< of the tiles on the diagonal
  std::vector<buffer<float, 2>> factors_;     ///< triangular, of blocks of reflectors
  kernel<tile_inout, tile_out, tile_out> geqrt_ = make_geqrt();
  kernel<tile_in, tile_in, tile_inout> unmqr_ = make_unmqr();
  kernel<tile_inout, tile_inout, tile_out> tsqrt_ = make_tsqrt();
  kernel<tile_in, tile_in, tile_inout, tile_inout> tsmqr_ = make_tsmqr();
};

}  // namespace

std::unique_ptr<algorithm> make_qr(runtime& rt, std::size_t tiles, std::size_t edge) {
  return std::make_unique<qr>(rt, tiles, edge);
}

}  // namespace tiled
