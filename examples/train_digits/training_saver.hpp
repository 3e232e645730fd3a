// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include <hocket/hocket.hpp>

#include "model.hpp"
#include "position.hpp"

namespace train {

/// When a training is saved.
struct saving_plan {
  std::filesystem::path folder;
  bool resume = false;
  std::size_t steps_between = 0;
  std::size_t last_step = 0;  ///< after which it is saved too
};

/// Saves what a training has learned, and where it is. A checkpoint that cannot be written is said;
/// the training goes on.
class training_saver {
 public:
  using output = std::function<void(std::string_view line)>;

  training_saver(hocket::runtime& rt, const model& network, saving_plan plan,
                 position_texts identity, output say);

  /// Where the training begins. With `resume` that is where the newest checkpoint was made, whose
  /// weights the network then has; if there is none, that is said and the training begins anew.
  /// Throws usage_error for the checkpoint of another training, and, without `resume`, for a folder
  /// that has one.
  [[nodiscard]] training_position begin();

  /// Between two steps; saves if it is time for that.
  void after_step(const training_position& at);

  /// Waits for the last checkpoint. Throws what it failed with.
  void finish();

 private:
  [[nodiscard]] training_position resume(const hocket::saved_checkpoint& from);

  const saving_plan plan_;
  const position_texts identity_;
  const output say_;
  const std::vector<hocket::named_buffer> buffers_;
  hocket::checkpoints saved_;
  hocket::future<std::uint64_t> last_;
};

}  // namespace train
