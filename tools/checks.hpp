// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <hocket/devices/registry.hpp>
#include <hocket/execution/topology.hpp>

#include "command_line.hpp"

namespace tools {

/// The backends of this build that the environment does not hide.
[[nodiscard]] hocket::backend_list backends_in_use();

/// A sentence for each device that is not used because it is the chip of one that is. None if
/// devices are named.
[[nodiscard]] std::vector<std::string> twins_beside(const std::vector<hocket::device_info>& used,
                                                    const hocket::runtime_options& options);

enum class verdict { ok, warning, problem };

/// One thing that the doctor looked at, and what it means.
struct finding {
  std::string subject;
  verdict how = verdict::ok;
  std::string text;  ///< whole sentences; where something is wrong, the last one says what to do
};

/// The host, without anything of Hocket that needs devices.
[[nodiscard]] std::vector<finding> check_host(const hocket::host_topology& host);

/// The backends of this build and the devices they find.
[[nodiscard]] std::vector<finding> check_backends(
    const std::shared_ptr<const hocket::host_topology>& host, const request& asked);

/// A small computation on every device in use, compared with the same one done here.
[[nodiscard]] std::vector<finding> check_devices(
    const std::shared_ptr<const hocket::host_topology>& host, const request& asked);

/// Libraries and folders.
[[nodiscard]] std::vector<finding> check_surroundings();

}  // namespace tools
