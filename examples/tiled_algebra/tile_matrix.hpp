// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

namespace tiled {

/// What a generated matrix contains: reproducible random numbers of [-0.5, 0.5), to whose diagonal
/// something is added.
struct content {
  std::uint32_t seed = 1;
  bool symmetric = false;
  float diagonal = 0;

  [[nodiscard]] float at(std::size_t row, std::size_t column) const;
};

/// A square matrix in square tiles, each a buffer of its own. Tiles are stored column by column, as
/// LAPACK has them: the element in row p and column q of a tile is its element (q, p).
class tile_matrix {
 public:
  tile_matrix(hocket::runtime& rt, std::size_t tiles, std::size_t edge, const std::string& label);

  /// The tile in this row and column of tiles.
  [[nodiscard]] const hocket::buffer<float, 2>& operator()(std::size_t i, std::size_t j) const {
    return all_[i * tiles_ + j];
  }
  [[nodiscard]] std::size_t tiles() const noexcept { return tiles_; }
  [[nodiscard]] std::size_t edge() const noexcept { return edge_; }
  [[nodiscard]] std::size_t order() const noexcept { return tiles_ * edge_; }

  /// Submits tasks that fill all tiles, in the memory of the device.
  void generate(hocket::runtime& rt, const content& with, hocket::device_handle on) const;

 private:
  std::size_t tiles_, edge_;
  std::vector<hocket::buffer<float, 2>> all_;
};

}  // namespace tiled
