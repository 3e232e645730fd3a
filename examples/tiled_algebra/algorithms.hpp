// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <memory>

#include <hocket/hocket.hpp>

namespace tiled {

/// One algorithm on matrices of tiles: it is filled, submitted and, where tasks are executed,
/// checked.
class algorithm {
 public:
  algorithm() = default;
  algorithm(const algorithm&) = delete;
  algorithm& operator=(const algorithm&) = delete;
  virtual ~algorithm() = default;

  /// Submits the tasks that generate the matrices, in the memory of the device.
  virtual void generate(hocket::runtime& rt, hocket::device_handle on) = 0;

  /// Submits the tasks of the algorithm. The order of tasks follows from the tiles they use.
  virtual void submit(hocket::submitter& to) = 0;

  /// How far the result is from the exact one, relative to the norm of the given matrix and the
  /// precision of float: products of the factors and a random vector are compared with the product
  /// of the given matrix. Waits for the tasks.
  [[nodiscard]] virtual double residual() const = 0;

  /// Operations that the algorithm takes, by the usual count.
  [[nodiscard]] virtual double flops() const = 0;
};

/// Each works on square matrices of tiles x tiles tiles with this edge.
[[nodiscard]] std::unique_ptr<algorithm> make_cholesky(hocket::runtime& rt, std::size_t tiles,
                                                       std::size_t edge);
[[nodiscard]] std::unique_ptr<algorithm> make_lu(hocket::runtime& rt, std::size_t tiles,
                                                 std::size_t edge);
[[nodiscard]] std::unique_ptr<algorithm> make_qr(hocket::runtime& rt, std::size_t tiles,
                                                 std::size_t edge);
[[nodiscard]] std::unique_ptr<algorithm> make_gemm_of_tiles(hocket::runtime& rt, std::size_t tiles,
                                                            std::size_t edge);

}  // namespace tiled
