// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <hocket/core/error.hpp>

#include "random.hpp"

namespace train {

namespace {

// What a stream of random numbers is for. Weights take one purpose a layer, shuffles one an epoch.
constexpr std::uint64_t weights_purpose = std::uint64_t{1} << 32;
constexpr std::uint64_t shuffle_purpose = std::uint64_t{2} << 32;

double cost_of(std::span<const layer_cost> costs, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t at = begin; at < end; ++at) sum += costs[at].total();
  return sum;
}

void check_cut(std::size_t layers, std::span<const double> speeds) {
  if (speeds.empty() || speeds.size() > layers) {
    throw hocket::usage_error(
        fmt::format("The network is to be cut into {} stages; it has {} layers, so 1 to {} stages "
                    "are possible.",
                    speeds.size(), layers, layers));
  }
  for (const double speed : speeds) {
    if (!(speed > 0) || !std::isfinite(speed)) {
      throw hocket::usage_error(
          fmt::format("The speed of a stage's device is {}; it must be positive.", speed));
    }
  }
}

}  // namespace

std::vector<layer> make_layers(std::size_t columns, std::span<const std::size_t> hidden,
                               std::size_t classes) {
  std::vector<layer> layers;
  std::size_t inputs = columns;
  for (const std::size_t size : hidden) {
    layers.push_back({inputs, size});
    inputs = size;
  }
  layers.push_back({inputs, classes});
  return layers;
}

std::vector<layer_cost> layer_costs(std::span<const layer> layers) {
  std::vector<layer_cost> costs;
  for (const layer& each : layers) {
    const double product =
        2.0 * static_cast<double>(each.inputs) * static_cast<double>(each.outputs);
    costs.push_back({product, costs.empty() ? product : 2 * product});
  }
  return costs;
}

std::vector<stage_range> cut_into_stages(std::span<const layer_cost> costs,
                                         std::span<const double> speeds) {
  check_cut(costs.size(), speeds);
  const std::size_t layers = costs.size();
  const std::size_t stages = speeds.size();
  constexpr double never = std::numeric_limits<double>::infinity();
  // longest[s][l]: the shortest longest time of layers l .. end in the stages s .. end; first_end
  // is where stage s ends then.
  std::vector<std::vector<double>> longest(stages + 1, std::vector<double>(layers + 1, never));
  std::vector<std::vector<std::size_t>> first_end(stages, std::vector<std::size_t>(layers + 1));
  longest[stages][layers] = 0;
  for (std::size_t stage = stages; stage-- > 0;) {
    for (std::size_t begin = 0; begin < layers; ++begin) {
      for (std::size_t end = begin + 1; end <= layers; ++end) {
        const double time =
            std::max(cost_of(costs, begin, end) / speeds[stage], longest[stage + 1][end]);
        if (time < longest[stage][begin]) {
          longest[stage][begin] = time;
          first_end[stage][begin] = end;
        }
      }
    }
  }
  std::vector<stage_range> result;
  for (std::size_t stage = 0, begin = 0; stage < stages; ++stage) {
    result.push_back({begin, first_end[stage][begin]});
    begin = result.back().end;
  }
  return result;
}

std::vector<double> stage_shares(std::span<const layer_cost> costs,
                                 std::span<const stage_range> stages) {
  const double all = cost_of(costs, 0, costs.size());
  std::vector<double> shares;
  for (const stage_range& stage : stages) {
    shares.push_back(cost_of(costs, stage.begin, stage.end) / all);
  }
  return shares;
}

std::vector<float> initial_weights(const layer& shape, std::uint64_t seed,
                                   std::size_t layer_index) {
  const counter_random random(seed, weights_purpose + layer_index);
  const double scale = std::sqrt(2.0 / static_cast<double>(shape.inputs));
  std::vector<float> weights(shape.inputs * shape.outputs);
  for (std::size_t index = 0; index < weights.size(); ++index) {
    weights[index] = static_cast<float>(scale * random.normal(index));
  }
  return weights;
}

std::vector<std::uint32_t> shuffled_rows(std::size_t rows, std::uint64_t seed, std::size_t epoch) {
  const counter_random random(seed, shuffle_purpose + epoch);
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  for (std::size_t left = rows; left > 1; --left) {
    std::swap(order[left - 1], order[random.below(left, static_cast<std::uint32_t>(left))]);
  }
  return order;
}

}  // namespace train
