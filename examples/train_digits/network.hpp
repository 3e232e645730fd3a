// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace train {

/// A fully connected layer: outputs = inputs x weights + bias.
struct layer {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
};

/// The arithmetic of one image, in floating-point operations.
struct layer_cost {
  double forward = 0;
  double backward = 0;

  [[nodiscard]] double total() const noexcept { return forward + backward; }
};

/// The layers from columns inputs over the hidden sizes to classes outputs.
[[nodiscard]] std::vector<layer> make_layers(std::size_t columns,
                                             std::span<const std::size_t> hidden,
                                             std::size_t classes);

/// One cost a layer. The backward pass of the first layer has half the work of the others': nobody
/// needs the gradient of the images.
[[nodiscard]] std::vector<layer_cost> layer_costs(std::span<const layer> layers);

/// The layers [begin, end) of one stage.
struct stage_range {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const stage_range&, const stage_range&) = default;
};

/// Cuts the layers into one stage for each speed, in order, so that the longest time of a stage,
/// cost / speed, is as short as it can be; of several such cuts, the one with the earliest
/// boundaries. Every stage has a layer; more stages than layers are a usage_error.
[[nodiscard]] std::vector<stage_range> cut_into_stages(std::span<const layer_cost> costs,
                                                       std::span<const double> speeds);

/// The part of the arithmetic that each stage has; the sum is 1.
[[nodiscard]] std::vector<double> stage_shares(std::span<const layer_cost> costs,
                                               std::span<const stage_range> stages);

/// The first weights of a layer (inputs x outputs, row-major), after He: variance 2 / inputs. They
/// depend on the seed, the layer's place in the network and its shape alone, never on the cut or
/// the schedule. First biases are zero.
[[nodiscard]] std::vector<float> initial_weights(const layer& shape, std::uint64_t seed,
                                                 std::size_t layer_index);

/// The order in which the rows of the training part are visited in an epoch.
[[nodiscard]] std::vector<std::uint32_t> shuffled_rows(std::size_t rows, std::uint64_t seed,
                                                       std::size_t epoch);

}  // namespace train
