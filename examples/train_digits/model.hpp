// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "machine.hpp"
#include "network.hpp"
#include "options.hpp"
#include "schedule.hpp"

/// The data of the pipeline: which buffers there are, and on which device each stage works.
namespace train {

using matrix = hocket::buffer<float, 2>;
using labels = hocket::buffer<std::int32_t>;

/// Something that is learned: its value, the gradient of the step, and the velocity of the
/// momentum.
template <std::size_t R>
struct learned {
  hocket::buffer<float, R> value;
  hocket::buffer<float, R> gradient;
  hocket::buffer<float, R> velocity;
};

/// A fully connected layer, followed by a rectifier unless it is the last one.
struct dense {
  learned<2> weights;
  learned<1> bias;
  bool rectified = true;
};

/// What belongs to one micro-batch of a step. outputs and gradients have one matrix for each layer:
/// what it gives, and the loss's gradient by that.
struct micro_batch {
  matrix images;
  labels truth;
  std::vector<matrix> outputs;
  std::vector<matrix> gradients;

  /// What a layer works on.
  [[nodiscard]] const matrix& input_of(std::size_t layer) const {
    return layer == 0 ? images : outputs[layer - 1];
  }
};

/// Some layers, on one device. The budget bounds the activations that wait for their backward task.
struct stage {
  stage_range layers;
  hocket::device_handle on;
  hocket::budget activations;
  std::uint64_t bytes_of_micro_batch = 0;
};

struct model {
  std::size_t rows = 0;  ///< of a micro-batch
  std::vector<dense> layers;
  std::vector<stage> stages;
  std::vector<micro_batch> micro_batches;
  hocket::buffer<float> losses;  ///< of every image of a step

  /// The losses of one micro-batch.
  [[nodiscard]] hocket::region<float> losses_of(std::size_t micro) const {
    return losses.rows(micro * rows, (micro + 1) * rows);
  }
};

/// Cuts the network into one stage for each device, and makes its buffers and first weights.
[[nodiscard]] model make_model(hocket::runtime& rt, std::span<const layer> shapes,
                               std::span<const stage_device> devices, const hyperparameters& how,
                               schedule kind, std::uint64_t seed);

/// A hash of the bits of all weights and biases, as sixteen hexadecimal digits. Waits for them.
[[nodiscard]] std::string hash_of_weights(const model& network);

}  // namespace train
