// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/report.hpp>

namespace hocket {

std::string_view to_string(device_state state) noexcept {
  switch (state) {
    case device_state::in_use:
      return "in use";
    case device_state::draining:
      return "draining";
    case device_state::drained:
      return "drained";
    case device_state::quarantined:
      return "quarantined";
    case device_state::hung:
      return "hung";
    case device_state::lost:
      return "lost";
    case device_state::removed:
      break;
  }
  return "removed";
}

}  // namespace hocket
