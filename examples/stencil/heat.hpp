// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hocket/hocket.hpp>

namespace stencil {

/// A plate whose edges are kept at fixed temperatures. It has rows x columns points inside, and one
/// more on each side.
struct plate {
  std::size_t rows = 0;
  std::size_t columns = 0;

  /// The temperature of a point at first; of a point of the edge, always.
  [[nodiscard]] float at_first(std::size_t row, std::size_t column) const;
};

/// What the inside of a part becomes in one step: each point the mean of its four neighbours. The
/// first argument is one point larger on each side than the second.
using step_kernel = hocket::kernel<hocket::in_buffer<float, 2>, hocket::out_buffer<float, 2>>;
[[nodiscard]] step_kernel make_step();

/// Fills rows of a plate, edges included: the number of the first one, the rows and columns that
/// the whole plate has inside, and the points.
using fill_kernel =
    hocket::kernel<std::uint32_t, std::uint32_t, std::uint32_t, hocket::out_buffer<float, 2>>;
[[nodiscard]] fill_kernel make_fill();

/// The temperatures of a plate, computed in tiles.
class tiled_plate {
 public:
  /// Submits the tasks that fill the plate. Each has a band as high as a tile, and the steps find
  /// it in the memory of the device that the task ran on: so the plate is spread over the devices.
  tiled_plate(hocket::runtime& rt, const plate& what, std::size_t tile);

  /// Submits one step. A tile waits for the tiles around it only, and the lines that it needs of
  /// them are all that moves between devices.
  void step(hocket::submitter& to);

  /// Row by row, with the edges. Waits for the steps.
  [[nodiscard]] std::vector<float> temperatures() const { return now_.to_vector(); }

 private:
  void fill(hocket::submitter& to, const hocket::buffer<float, 2>& points) const;

  plate what_;
  std::size_t tile_;
  hocket::buffer<float, 2> now_, next_;
  step_kernel step_ = make_step();
};

/// All steps one after the other in plain loops.
[[nodiscard]] std::vector<float> simple_steps(const plate& what, std::size_t steps);

}  // namespace stencil
