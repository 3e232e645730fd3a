// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include "graphs/task_groups.hpp"
#include "placement/machine.hpp"

namespace hocket::detail {

/// Chains of elementwise tasks over the same regions become one kernel.
class fuse_rule final : public grouping_rule {
 public:
  /// For these devices.
  explicit fuse_rule(const placement::machine& devices);
  [[nodiscard]] bool admits(const task_description& task) const override;
  [[nodiscard]] bool can_join(const recorded_nodes& content, const candidate& earlier,
                              const candidate& next) const override;
  [[nodiscard]] bool draws_forward() const override { return true; }
  [[nodiscard]] task_description join(const recorded_nodes& content,
                                      const task_group& group) const override;

 private:
  std::vector<kernel_format> formats_;  ///< that some device takes
};

}  // namespace hocket::detail
