// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "model.hpp"

#include <fmt/format.h>

#include "hash.hpp"

namespace train {

namespace {

using hocket::writes;

template <std::size_t R>
learned<R> make_learned(hocket::runtime& rt, const hocket::shape<R>& extents,
                        std::span<const float> first, const hocket::device_handle& on,
                        const std::string& name) {
  learned<R> made{{rt, extents, first, name},
                  {rt, extents, "gradient of " + name},
                  {rt, extents, "velocity of " + name}};
  rt.submit({.on = on, .label = "zero"}, hocket::ops::fill, 0.0f, writes(made.velocity));
  return made;
}

dense make_layer(hocket::runtime& rt, const layer& shape, const hocket::device_handle& on,
                 std::uint64_t seed, std::size_t index) {
  const std::vector<float> weights = initial_weights(shape, seed, index);
  const std::vector<float> bias(shape.outputs, 0.0f);
  return {make_learned<2>(rt, {shape.inputs, shape.outputs}, weights, on,
                          fmt::format("weights {}", index)),
          make_learned<1>(rt, {shape.outputs}, bias, on, fmt::format("bias {}", index))};
}

micro_batch make_micro_batch(hocket::runtime& rt, std::span<const layer> shapes, std::size_t rows,
                             std::size_t micro) {
  micro_batch made{{rt, {rows, shapes[0].inputs}, fmt::format("images of {}", micro)},
                   {rt, rows, fmt::format("labels of {}", micro)},
                   {},
                   {}};
  for (std::size_t l = 0; l < shapes.size(); ++l) {
    const hocket::shape<2> extents{rows, shapes[l].outputs};
    made.outputs.emplace_back(rt, extents, fmt::format("output {} of {}", l, micro));
    made.gradients.emplace_back(rt, extents, fmt::format("gradient {} of {}", l, micro));
  }
  return made;
}

/// What a stage keeps of a micro-batch until its backward task: its input and its outputs.
std::uint64_t kept_bytes(std::span<const layer> shapes, const stage_range& range,
                         std::size_t rows) {
  std::uint64_t columns = shapes[range.begin].inputs;
  for (std::size_t l = range.begin; l < range.end; ++l) columns += shapes[l].outputs;
  return columns * rows * sizeof(float);
}

}  // namespace

model make_model(hocket::runtime& rt, std::span<const layer> shapes,
                 std::span<const stage_device> devices, const hyperparameters& how, schedule kind,
                 std::uint64_t seed) {
  std::vector<double> speeds;
  for (const stage_device& each : devices) speeds.push_back(each.speed);
  const std::vector<stage_range> cut = cut_into_stages(layer_costs(shapes), speeds);

  model made{how.micro_batch_rows(), {}, {}, {}, hocket::buffer<float>(rt, how.batch, "losses")};
  for (std::size_t s = 0; s < cut.size(); ++s) {
    const std::uint64_t bytes = kept_bytes(shapes, cut[s], made.rows);
    const std::size_t most = slots(kind, s, cut.size(), how.micro_batches);
    made.stages.push_back({cut[s], devices[s].handle, hocket::budget(rt, most * bytes), bytes});
    for (std::size_t l = cut[s].begin; l < cut[s].end; ++l) {
      made.layers.push_back(make_layer(rt, shapes[l], devices[s].handle, seed, l));
    }
  }
  made.layers.back().rectified = false;
  for (std::size_t micro = 0; micro < how.micro_batches; ++micro) {
    made.micro_batches.push_back(make_micro_batch(rt, shapes, made.rows, micro));
  }
  return made;
}

std::string hash_of_weights(const model& network) {
  bit_hash bits;
  for (const dense& each : network.layers) {
    bits.add(std::span<const float>(each.weights.value.to_vector()));
    bits.add(std::span<const float>(each.bias.value.to_vector()));
  }
  return bits.text();
}

}  // namespace train
