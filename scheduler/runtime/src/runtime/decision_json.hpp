// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <boost/json/object.hpp>

#include <hocket/scheduler/report.hpp>

namespace hocket::detail {

/// The decisions of a trace, as they stand in its file. Times are nanoseconds of the runtime's
/// clock; a device is its place in "devices".
[[nodiscard]] boost::json::object decision_json(const trace_snapshot& trace);

}  // namespace hocket::detail
