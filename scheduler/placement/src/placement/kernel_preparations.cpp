// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/kernel_preparations.hpp"

#include <utility>

#include "placement/kernel_trials.hpp"

namespace hocket::placement {

bool kernel_preparations::begin(const placed_task& t, device_id device) {
  // A program may rely on the choices of another policy.
  if (!s_.plans_ahead()) return false;
  // Where failed tasks are repeated, one that waits for a compiler is as well.
  if (!s_.nodes.devices[device.value].compiles() || t.on.valid() || s_.log.is_on()) return false;
  const kernel_ref& kernel = t.launch->kernel;
  device_record& d = s_.devices[device.value];
  if (!kernel->sequence.empty() || d.compiled.contains(kernel) || d.prepared.contains(*kernel) ||
      d.compiling.contains(*kernel) || !has_ready_device(t, device)) {
    return false;
  }
  d.compiling.insert(kernel, t.launch->cost.size());
  plan(t, device);
  ++s_.changes;
  s_.costs.note_change();
  return true;
}

bool kernel_preparations::has_ready_device(const placed_task& t, device_id device) const {
  // Compilers take about so long.
  constexpr nanoseconds longest = std::chrono::milliseconds(100);
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    const device_id other{i};
    if (other == device || !s_.view.can_run(t, other)) continue;
    const bool is_ready =
        !s_.nodes.devices[i].compiles() || s_.devices[i].compiled.contains(t.launch->kernel);
    if (is_ready && s_.costs.predict(*t.launch, other) <= longest) return true;
  }
  return false;
}

void kernel_preparations::plan(const placed_task& t, device_id device) {
  boost::intrusive_ptr<kernel_preparation> made(new kernel_preparation);
  made->id = t.id;
  made->label = t.label;
  made->trace_name = t.trace_name;
  made->run.device = device;
  made->launch = new counted_launch;
  made->launch->kernel = t.launch->kernel;
  made->launch->scalars = t.launch->scalars;
  made->launch->cost = t.launch->cost;
  made->launch->width = t.launch->width;
  for (const placed_buffer& each : t.launch->buffers) {
    made->launch->buffers.emplace_back().part = each.part;
  }
  const stream_id lane = s_.nodes.devices[device.value].compute.front();
  command_record& record = s_.commands.plan<issue_launch>(s_.commands.next(lane), nanoseconds{0},
                                                          {}, s_.work.actions(), made.get(), false);
  record.task = t.id;
  record.launched = made.get();
  record.wanted = s_.now;
  record.unmeasured = true;
  s_.lanes.planned(record, s_.commands.load(lane));
  all_.push_back(std::move(made));
}

void kernel_preparations::ended(const command_record& record, const command_result& how) {
  placed_task& preparation = *record.launched;
  s_.trace.ended(record, how, &preparation);
  const device_id device = preparation.run.device;
  device_record& d = s_.devices[device.value];
  d.compiling.erase(preparation.launch->kernel);
  // Another failure is told by the first launch.
  const bool is_refused = how.why.code() == failure_code::compile_failed &&
                          refuse_kernel(s_, preparation, device, how.why);
  if (!is_refused) {
    d.prepared.insert(*preparation.launch->kernel);
    s_.costs.try_soon(*preparation.launch, device);
  }
  ++s_.changes;
  s_.costs.note_change();
  s_.work.mark_dirty(device);
  forget(preparation);
}

void kernel_preparations::forget(placed_task& preparation) {
  // Actions before this one may name it.
  s_.work.actions().emplace_back(keep_task{task_ref(&preparation)});
  std::erase_if(all_, [&](const auto& each) { return each.get() == &preparation; });
}

}  // namespace hocket::placement
