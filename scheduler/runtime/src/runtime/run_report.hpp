// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include <hocket/scheduler/report.hpp>

namespace hocket::detail {

class device_connection;
class event_pump;

/// What the devices have done so far. Connects them if that was not done. The time is left out.
[[nodiscard]] runtime_report report_of(device_connection& devices, event_pump& events);

/// Reports of the devices without bounds, which take longer. The devices are connected.
[[nodiscard]] std::vector<device_report> device_reports(device_connection& devices,
                                                        event_pump& events);

/// True if HOCKET_SUMMARY asks for a summary when a runtime ends.
/// True if HOCKET_SUMMARY asks for one.
[[nodiscard]] bool wants_summary();
/// To the standard error output, if it is wanted.
void print_summary(device_connection& devices, event_pump& events) noexcept;

}  // namespace hocket::detail
