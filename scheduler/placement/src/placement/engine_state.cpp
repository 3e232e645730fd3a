// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/engine_state.hpp"

#include "placement/recovery_run.hpp"
#include "tasks/caught.hpp"

namespace hocket::placement {

failure engine_state::without_device(const placed_task& t) const {
  const std::string reason = t.on.valid() ? nodes.devices[t.on.value].label_text() +
                                                " was lost: " + devices[t.on.value].lost
                                          : "every device that could was lost.";
  return {failure_code::no_device,
          detail::task_name(t.label_text()) + " has no device to run on: " + reason};
}

failure engine_state::failed_on_device(const placed_task& t, const failure& why) const {
  const std::size_t failures = retries.failures(original_of(t));
  const std::string again = failures > 1 ? ", attempt " + std::to_string(failures) : "";
  return why.within("running task \"" + std::string(t.label_text()) + "\" on " +
                    node_of(t).label_text() + again);
}

task_id engine_state::original_of(const placed_task& t) const {
  if (!t.is_recovery) return t.id;
  const auto& of_recovery = static_cast<const recovery_task&>(t);
  const bool restores = of_recovery.part != nullptr;
  return restores ? retry_table::of_buffer(t.accesses.front().data)
                  : log.tasks().at(of_recovery.position).id;
}

}  // namespace hocket::placement
