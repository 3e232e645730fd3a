// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include <hocket/hocket.hpp>

#include "schedule.hpp"

namespace train {

/// From when to when a training step ran, on the clock of the runtime.
struct step_window {
  hocket::time_stamp begin{};
  hocket::time_stamp end{};
};

/// What the timeline says of the pipeline, on average over some steps.
struct pipeline_timing {
  std::size_t steps = 0;  ///< that were looked at
  double bubble = 0;      ///< 1 - busy / (stages x time from first to last task of a step)
  double bubble_theory =
      0;  ///< the same for these times of the stages, when moving data takes none
  double transfers_hidden = 0;  ///< share of the transfers' time in which kernels ran
  std::vector<double> forward;  ///< seconds of each stage for one micro-batch
  std::vector<double> backward;
};

/// Looks at those of the steps that the trace still holds.
[[nodiscard]] pipeline_timing measure(const hocket::trace_snapshot& trace,
                                      const std::vector<step_window>& steps, schedule kind,
                                      std::size_t stages, std::size_t micro_batches);

}  // namespace train
