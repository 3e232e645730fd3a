// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hocket/core/function_ref.hpp>

#include "placement/host_versions.hpp"
#include "placement/task_log.hpp"

namespace hocket::placement {

/// One step of a recovery: a task that is run again, or content that is restored.
struct recovery_step {
  std::uint64_t position = 0;         ///< of the task, or of the version
  const logged_task* task = nullptr;  ///< null: content is restored
  data_id data = {};                  ///< of that content
  box region = {};
  kept_ref from = nullptr;  ///< null: it lies in the block of the host
};

/// Content that is not to be had: the parts as they were at that position of the log.
struct missing_content {
  struct missing_part {
    data_id data;
    box region;
  };
  std::uint64_t position = 0;
  std::vector<missing_part> parts;
  failure why;  ///< of the task there, if it has failed
};

/// The steps, in the order in which they have an effect.
struct recovery_plan {
  /// A part that a task failed to write, and that no later task has written.
  struct failed_part {
    data_id data;
    box region;
    failure why;
  };

  std::vector<recovery_step> steps;
  std::vector<failed_part> failed;  ///< stays poisoned
  std::string hopeless;             ///< not empty: why content that is lost cannot be made again
  data_id lacks;                    ///< then, if valid, what the sentence ends with: a buffer
  task_id user;                     ///< then, if valid, the view or function that is in the way
  missing_content missing;          ///< then: steps that need it cannot be made
};

using visit_parts = function_ref<void(const box&)>;
/// Calls the second argument for each part of the buffer whose content is poisoned.
using poisoned_parts = function_ref<void(data_id, visit_parts)>;

/// The steps after which all content is there again that is poisoned, but for what tasks failed to
/// write, and the torn tasks have run. The versions are those to begin with. all_of: the box of all
/// of the buffer. cut: as in host_versions.
[[nodiscard]] recovery_plan plan_recovery(const task_log& log, const host_versions& versions,
                                          std::uint64_t cut,
                                          function_ref<const box&(data_id)> all_of,
                                          poisoned_parts poisoned);

}  // namespace hocket::placement
