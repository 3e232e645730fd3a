// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/engine_state.hpp"

#include "tasks/caught.hpp"

namespace hocket::placement {

failure engine_state::without_device(const placed_task& t) const {
  const std::string reason = t.on.valid() ? nodes.devices[t.on.value].label_text() +
                                                " was lost: " + devices[t.on.value].lost
                                          : "every device that could was lost.";
  return {failure_code::no_device,
          detail::task_name(t.label_text()) + " has no device to run on: " + reason};
}

}  // namespace hocket::placement
