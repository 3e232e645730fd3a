// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "options.hpp"

namespace train {

/// The machine that the example runs on unless it is told otherwise: the CPU, and two simulated
/// devices with memories of their own. On the virtual clock the CPU has twice the speed of each,
/// since the first layer is twice as large as the others; on the real clock all three are as fast
/// as the cores that they share.
[[nodiscard]] hocket::runtime_options machine_for(clock_kind clock, std::size_t trace_capacity);

/// A device of the pipeline.
struct stage_device {
  hocket::device_handle handle;
  hocket::device_info info;
  double speed = 0;  ///< for cutting the layers; only proportions count
};

/// The devices of the pipeline's stages, in order: those that are named, else the first three there
/// are; of these as many as there are to be stages.
[[nodiscard]] std::vector<stage_device> devices_of_stages(hocket::runtime& rt,
                                                          const options& given);

/// For people: what each device is like.
[[nodiscard]] std::string to_string(const std::vector<stage_device>& devices, clock_kind clock);

}  // namespace train
