// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "options.hpp"

namespace train {

/// The clock that was asked for. Else the real one where a driver has devices and no stage is to be
/// simulated.
[[nodiscard]] clock_kind clock_for(const options& given);

/// The machine that the example runs on unless it is told otherwise: the CPU, what the drivers
/// have, and two simulated devices with memories of their own. On the virtual clock, where there
/// are no drivers, the CPU has twice the speed of each simulated device, since the first layer is
/// twice as large as the others; on the real clock all are taken to be as fast as the cores that
/// they share.
[[nodiscard]] hocket::runtime_options machine_for(const options& given, clock_kind clock,
                                                  std::size_t trace_capacity);

/// A device of the pipeline.
struct stage_device {
  hocket::device_handle handle;
  hocket::device_info info;
  double speed = 0;  ///< for cutting the layers; only proportions count
};

/// The devices of the pipeline's stages, in order: those that are named, else the first of each
/// backend, and simulated ones where there are less than three; of these as many as there are to be
/// stages.
[[nodiscard]] std::vector<stage_device> devices_of_stages(hocket::runtime& rt, const options& given,
                                                          clock_kind clock);

/// For people: what each device is like.
[[nodiscard]] std::string to_string(const std::vector<stage_device>& devices, clock_kind clock);

}  // namespace train
