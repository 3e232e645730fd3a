// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tile_matrix.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tiled {

using namespace hocket;

namespace {

/// The finalizer of SplitMix64: every bit of the result depends on every bit of the state.
std::uint64_t mixed(std::uint64_t state) {
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31U);
}

}  // namespace

float content::at(std::size_t row, std::size_t column) const {
  if (symmetric && row < column) std::swap(row, column);
  const std::uint64_t place = (std::uint64_t{row} << 32U) + column;
  const std::uint64_t bits = mixed(mixed(place) + seed);
  const float value = static_cast<float>(bits >> 40U) * 0x1p-24F - 0.5F;
  return row == column ? value + diagonal : value;
}

tile_matrix::tile_matrix(runtime& rt, std::size_t tiles, std::size_t edge, const std::string& label)
    : tiles_(tiles), edge_(edge) {
  all_.reserve(tiles * tiles);
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j < tiles; ++j) {
      all_.emplace_back(rt, shape<2>{edge, edge}, fmt::format("{}({},{})", label, i, j));
    }
  }
}

void tile_matrix::generate(runtime& rt, const content& with, device_handle on) const {
  const auto tasks = kernel<std::uint64_t, std::uint64_t, out_buffer<float, 2>>{
      "generate",
      host_body{[with](std::uint64_t row, std::uint64_t column, buffer_view<float, 2> tile) {
        for (std::size_t q = 0; q < tile.extent(0); ++q) {
          for (std::size_t p = 0; p < tile.extent(1); ++p) {
            tile(q, p) = with.at(row + p, column + q);
          }
        }
      }}};
  for (std::size_t i = 0; i < tiles_; ++i) {
    for (std::size_t j = 0; j < tiles_; ++j) {
      rt.submit({.on = on}, tasks, i * edge_, j * edge_, writes((*this)(i, j)));
    }
  }
}

}  // namespace tiled
