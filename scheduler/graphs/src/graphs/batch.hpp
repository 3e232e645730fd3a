// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include "graphs/task_groups.hpp"
#include "placement/machine.hpp"

namespace hocket::detail {

/// Longer batches would save little more, and keep the tasks waiting that need what the first ones
/// leave.
inline constexpr std::size_t max_tasks_in_batch = 1024;

/// So many different regions has a batch at most: a device has memory for all of them at once.
inline constexpr std::size_t max_regions_in_batch = 64;

/// Neighbouring tasks of a device that runs one command after another become one submission.
class batch_rule final : public grouping_rule {
 public:
  explicit batch_rule(const placement::machine& machine) : machine_(machine) {}

  [[nodiscard]] bool admits(const task_description& task) const override;
  [[nodiscard]] bool can_join(const recorded_nodes& content, const candidate& earlier,
                              const candidate& next) const override;
  /// What others wait for is not to be held up by what came between.
  [[nodiscard]] bool draws_forward() const override { return false; }
  [[nodiscard]] task_description join(const recorded_nodes& content,
                                      const task_group& group) const override;

 private:
  const placement::machine& machine_;
};

}  // namespace hocket::detail
