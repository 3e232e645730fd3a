// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/engine_state.hpp"

#include <utility>

#include "placement/recovery_run.hpp"
#include "tasks/caught.hpp"

namespace hocket::placement {

bool engine_state::waits_for_device(placed_task& t) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    device_record& d = devices[i];
    if (!d.alive() || d.is_used() || !view.could_run(t, device_id{i})) continue;
    if (is_ending && d.state != device_state::quarantined) continue;
    t.phase = task_phase::blocked;
    waiting.insert(t.id);
    if (!std::exchange(d.is_waited_for, true)) {
      work.actions().emplace_back(warn{detail::task_name(t.label_text()) + " waits for " +
                                       nodes.devices[i].label_text() + ", which is " +
                                       std::string(to_string(d.state)) +
                                       (t.on.valid() ? ", because it names that device."
                                                     : ", because no other device can run it.")});
    }
    return true;
  }
  return false;
}

void engine_state::await_other_probe(const placed_task& t) {
  for (device_record& d : devices) {
    if (d.state != device_state::quarantined || d.probe.task != t.id) continue;
    d.probe.task = {};
    // Tasks that wait for the device are not placed again by themselves.
    const auto number = static_cast<std::size_t>(&d - devices.data());
    work.actions().emplace_back(await_probe{device_id{number}, nanoseconds{0}});
  }
}

failure engine_state::without_device(const placed_task& t) const {
  std::string reason =
      is_ending ? "no device that could is in use." : "every device that could was lost.";
  failure_code code = failure_code::no_device;
  for (std::size_t i = 0; t.launch != nullptr && i < devices.size(); ++i) {
    if (!devices[i].alive()) continue;
    if (!view.can_bind_in_place(t, device_id{i})) {
      reason = nodes.devices[i].label_text() +
               " cannot use memory of the program at the address that it has.";
    }
    if (devices[i].compiles(*t.launch->kernel)) continue;
    reason = nodes.devices[i].label_text() + " cannot compile its kernel.";
    code = failure_code::compile_failed;
  }
  if (t.on.valid()) {
    const device_record& d = devices[t.on.value];
    reason = nodes.devices[t.on.value].label_text() + " was " + std::string(to_string(d.state)) +
             (d.is_lost_or_hung() ? ": " + d.lost : ", and its runtime ends.");
  }
  return {code, detail::task_name(t.label_text()) + " has no device to run on: " + reason};
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
