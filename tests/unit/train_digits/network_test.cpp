// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <hocket/core/error.hpp>

#include "random.hpp"

namespace train {
namespace {

std::vector<layer> mnist_layers() {
  const std::vector<std::size_t> hidden{256, 128};
  return make_layers(784, hidden, 10);
}

double longest_time(std::span<const layer_cost> costs, std::span<const double> speeds,
                    std::span<const stage_range> stages) {
  double longest = 0;
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    double sum = 0;
    for (std::size_t at = stages[stage].begin; at < stages[stage].end; ++at) {
      sum += costs[at].total();
    }
    longest = std::max(longest, sum / speeds[stage]);
  }
  return longest;
}

/// The best of all cuts, by trying them.
double best_by_search(std::span<const layer_cost> costs, std::span<const double> speeds,
                      std::vector<stage_range>& cut) {
  const std::size_t begin = cut.empty() ? 0 : cut.back().end;
  if (cut.size() + 1 == speeds.size()) {
    if (begin == costs.size()) return std::numeric_limits<double>::infinity();
    cut.push_back({begin, costs.size()});
    const double result = longest_time(costs, speeds, cut);
    cut.pop_back();
    return result;
  }
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t end = begin + 1; end <= costs.size(); ++end) {
    cut.push_back({begin, end});
    best = std::min(best, best_by_search(costs, speeds, cut));
    cut.pop_back();
  }
  return best;
}

TEST(Network, LayersAndTheirArithmetic) {
  const std::vector<layer> layers = mnist_layers();
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[1].inputs, 256U);
  EXPECT_EQ(layers[2].outputs, 10U);
  const std::vector<layer_cost> costs = layer_costs(layers);
  EXPECT_EQ(costs[0].forward, 2.0 * 784 * 256);
  EXPECT_EQ(costs[0].backward, costs[0].forward);
  EXPECT_EQ(costs[1].backward, 2 * costs[1].forward);
  EXPECT_EQ(make_layers(5, {}, 3).size(), 1U);
}

TEST(Network, CutsAreAsGoodAsTheBestOfAllCuts) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(0.1, 3);
  for (int round = 0; round < 300; ++round) {
    std::vector<layer_cost> costs(1 + random() % 8);
    for (layer_cost& cost : costs) cost = {value(random), value(random)};
    std::vector<double> speeds(1 + random() % costs.size());
    for (double& speed : speeds) speed = value(random);
    const std::vector<stage_range> cut = cut_into_stages(costs, speeds);
    ASSERT_EQ(cut.size(), speeds.size());
    EXPECT_EQ(cut.back().end, costs.size());
    for (std::size_t stage = 0; stage < cut.size(); ++stage) {
      EXPECT_LT(cut[stage].begin, cut[stage].end);
      EXPECT_EQ(cut[stage].begin, stage == 0 ? 0 : cut[stage - 1].end);
    }
    std::vector<stage_range> none;
    EXPECT_DOUBLE_EQ(longest_time(costs, speeds, cut), best_by_search(costs, speeds, none));
    const std::vector<double> shares = stage_shares(costs, cut);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
  }
}

TEST(Network, MoreStagesThanLayersAreWrongUse) {
  const std::vector<layer_cost> costs = layer_costs(mnist_layers());
  const std::vector<double> four(4, 1.0);
  EXPECT_THROW(static_cast<void>(cut_into_stages(costs, four)), hocket::usage_error);
  EXPECT_THROW(static_cast<void>(cut_into_stages(costs, {})), hocket::usage_error);
  const std::vector<double> standing{1.0, 0.0};
  EXPECT_THROW(static_cast<void>(cut_into_stages(costs, standing)), hocket::usage_error);
}

TEST(Network, FirstWeightsAreNormalAndDependOnSeedAndLayerAlone) {
  const layer shape{784, 256};
  const std::vector<float> weights = initial_weights(shape, 7, 0);
  ASSERT_EQ(weights.size(), 784U * 256U);
  EXPECT_EQ(weights, initial_weights(shape, 7, 0));
  EXPECT_NE(weights, initial_weights(shape, 8, 0));
  EXPECT_NE(weights, initial_weights(shape, 7, 1));
  double sum = 0, squares = 0;
  std::size_t within_one = 0;
  const double deviation = std::sqrt(2.0 / 784);
  for (const float weight : weights) {
    sum += weight;
    squares += static_cast<double>(weight) * static_cast<double>(weight);
    within_one += std::abs(weight) < deviation ? 1 : 0;
  }
  const auto count = static_cast<double>(weights.size());
  EXPECT_NEAR(sum / count / deviation, 0, 0.02);
  EXPECT_NEAR(squares / count / (deviation * deviation), 1, 0.02);
  EXPECT_NEAR(static_cast<double>(within_one) / count, 0.683, 0.01);
}

// The bits of another machine, compiler or library would show here.
TEST(Network, RandomNumbersAreTheSameEverywhere) {
  EXPECT_EQ(scramble(0), 0xe220a8397b1dcdafU);
  const counter_random random(1, 2);
  EXPECT_EQ(random.word(0), 0xe68e6fc01df08360U);
  EXPECT_EQ(random.normal(0), 0.728973388671875);
  EXPECT_EQ(shuffled_rows(8, 1, 0), (std::vector<std::uint32_t>{6, 7, 5, 0, 1, 2, 4, 3}));
}

TEST(Network, ShufflesArePermutationsThatDifferByEpoch) {
  std::vector<std::uint32_t> first = shuffled_rows(1000, 3, 0);
  EXPECT_EQ(first, shuffled_rows(1000, 3, 0));
  EXPECT_NE(first, shuffled_rows(1000, 3, 1));
  EXPECT_NE(first, shuffled_rows(1000, 4, 0));
  std::sort(first.begin(), first.end());
  for (std::uint32_t row = 0; row < 1000; ++row) EXPECT_EQ(first[row], row);
  EXPECT_TRUE(shuffled_rows(0, 3, 0).empty());
}

TEST(Network, EveryPlaceIsEquallyLikelyInAShuffle) {
  std::vector<int> count(5);
  constexpr std::size_t rounds = 20000;
  for (std::size_t epoch = 0; epoch < rounds; ++epoch) ++count[shuffled_rows(5, 9, epoch)[0]];
  for (const int each : count) EXPECT_NEAR(each, rounds / 5.0, 300);
}

}  // namespace
}  // namespace train
