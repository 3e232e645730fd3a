// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/report.hpp>
#include <hocket/scheduler/runtime.hpp>

#include "runtime/counter_export.hpp"

namespace hocket::detail {

class device_connection;
class event_pump;

/// What the devices have done so far. Connects them if that was not done. The time is left out.
[[nodiscard]] runtime_report report_of(device_connection& devices, event_pump& events,
                                       report_detail how_much = report_detail::all);

/// The counters of the devices, without bounds, which take longer. Connects none.
[[nodiscard]] runtime_counters device_counters(device_connection& devices, event_pump& events);

/// True if HOCKET_SUMMARY asks for a summary when a runtime ends.
[[nodiscard]] bool wants_summary();
/// To the standard error output, if it is wanted.
void print_summary(device_connection& devices, event_pump& events) noexcept;

}  // namespace hocket::detail
