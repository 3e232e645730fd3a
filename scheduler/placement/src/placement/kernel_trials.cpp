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
  if (!refuse_kernel(s_, t, t.run.device, why)) return false;
  place_again(t);
  return true;
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
