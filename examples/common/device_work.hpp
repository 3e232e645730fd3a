// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include <hocket/hocket.hpp>

namespace examples {

/// What the devices have done between two reports of a runtime.
[[nodiscard]] std::vector<hocket::device_report> work_between(const hocket::runtime_report& begin,
                                                              const hocket::runtime_report& end);

/// For people: a line for each device. `seconds` is the time in which it was done.
[[nodiscard]] std::string table_of(const std::vector<hocket::device_report>& work, double seconds);

[[nodiscard]] boost::json::array json_of(const std::vector<hocket::device_report>& work);

[[nodiscard]] double seconds_of(hocket::nanoseconds time);

}  // namespace examples
