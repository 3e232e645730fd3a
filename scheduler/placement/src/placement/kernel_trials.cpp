// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/kernel_trials.hpp"

#include <string>

namespace hocket::placement {

namespace {

/// The text of a compiler need not end with a full stop.
std::string as_sentence(std::string text) { return text.ends_with('.') ? text : text + "."; }

}  // namespace

bool refuse_kernel(engine_state& s, const placed_task& t, device_id device, const failure& why) {
  for (std::size_t i = 0; i < s.devices.size(); ++i) {
    // One that is drained may come back.
    if (device_id{i} == device || !s.view.could_run(t, device_id{i})) continue;
    if (s.devices[device.value].refuses.insert(*t.launch->kernel)) {
      s.work.actions().emplace_back(
          warn{as_sentence(why.message()) + " Other devices run its tasks."});
    }
    s.costs.note_change();
    return true;
  }
  return false;
}

bool kernel_trials::takes(placed_task& t, const failure& why) {
  if (!why) {
    s_.device_of(t).compiled.insert(t.launch->kernel);
    return false;
  }
  if (why.code() != failure_code::compile_failed || t.poisoned) return false;
  const device_id device = t.run.device;
  if (!refuse_kernel(s_, t, device, why)) return false;
  place_again(t);
  place_refused(device);
  return true;
}

/// Tasks with that kernel wait for the device, which would only refuse it again.
void kernel_trials::place_refused(device_id device) {
  for (placed_task* const each : roster_.movable_at(device)) {
    if (!s_.devices[device.value].compiles(*each->launch->kernel)) roster_.place_again(*each);
  }
}

/// The launch has written nothing: the memory of its device has what the task is to read, also
/// where it is to be changed, and counts as what the task wrote until that is written elsewhere.
void kernel_trials::place_again(placed_task& t) {
  --s_.issued;
  s_.schedules.launch_ended();
  memory_.unpin(t, s_.node_of(t).memory);
  s_.work.mark_dirty(t.run.device);
  t.begin_attempt();
  s_.throttle.stand_in_line_again(t);
  // A task that had its turn has its bytes.
  t.blockers > 0 ? placer_.consider(t) : placer_.place(t);
}

}  // namespace hocket::placement
