// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include <hocket/hocket.hpp>

#include "dataset.hpp"
#include "model.hpp"
#include "position.hpp"
#include "progress.hpp"
#include "timing.hpp"

namespace train {

/// What a training has to be told.
struct training_plan {
  hyperparameters how;
  schedule kind = schedule::one_f_one_b;
  std::uint64_t seed = 0;
  std::stop_token stop;
  training_position begin = {};  ///< the weights are those of that position
  /// Called between two steps, where it may submit tasks.
  std::function<void(const training_position&)> after_step = [](const training_position&) {};
};

/// What a training leaves beside the weights.
struct training_log {
  std::vector<double> loss;        ///< mean of each epoch
  std::vector<step_window> steps;  ///< when each of the last steps ran
};

/// How many steps a log has at most.
inline constexpr std::size_t steps_of_log = 8;

/// Records one step and runs it for every batch of every epoch that is left. Throws error, with the
/// code cancelled, between two steps if a stop is requested.
[[nodiscard]] training_log run_training(hocket::runtime& rt, const model& network,
                                        const dataset& data, const training_plan& plan,
                                        progress& shown);

/// The share of the images that the network gets right.
[[nodiscard]] double test_accuracy(hocket::runtime& rt, const model& network, const dataset& data);

}  // namespace train
