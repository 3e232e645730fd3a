// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data_source.hpp"
#include "dataset.hpp"
#include "options.hpp"

namespace train {

/// The position in a checkpoint, as the library keeps it.
using position_texts = std::map<std::string, std::string, std::less<>>;

/// How far a training is, between two steps.
struct training_position {
  std::size_t steps = 0;       ///< that have ended, of all epochs
  double loss_sum = 0;         ///< of the images of this epoch so far
  std::vector<double> losses;  ///< mean of each epoch that has ended

  friend bool operator==(const training_position&, const training_position&) = default;
};

/// The properties that two trainings share if one can go on where the other one was and ends with
/// the same bits: options by their names, and the images. The devices, the stages and the schedule
/// are not among them, nor is the number of epochs.
[[nodiscard]] position_texts identity_of(const hyperparameters& how, dataset_kind kind,
                                         std::uint64_t seed, const dataset& data);

/// The identity and the position as one.
[[nodiscard]] position_texts to_texts(const position_texts& identity, const training_position& at);

/// The position in the texts of a checkpoint, which the messages call `file`. Throws usage_error if
/// they are not of a training with this identity, and name what differs.
[[nodiscard]] training_position position_in(const position_texts& saved,
                                            const position_texts& identity,
                                            const std::string& file);

}  // namespace train
