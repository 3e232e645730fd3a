// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_view.hpp"

#include <algorithm>

namespace hocket::placement {

namespace {

/// True if the region is not too large to be an argument of a kernel there.
bool can_bind(const task_access& a, const machine::device_node& node) {
  if (a.is_empty()) return true;
  const tracked_buffer& d = *a.buffer;
  const index_list strides = dense_strides(d.all.end);
  std::uint64_t span = 1;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    span += (a.region().end[i] - a.region().begin[i] - 1) * strides[i];
  }
  return span * d.element_size <= node.largest_binding;
}

}  // namespace

bool device_view::can_run(const request& r, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  if (!devices_[device.value].alive || (r.on.valid() && r.on != device)) return false;
  if (r.host_only) return node.runs_host_tasks;
  if (!node.runs(*r.launch->kernel) || r.bytes > replicas_.ledger().capacity(node.memory))
    return false;
  return node.largest_binding == 0 ||
         std::all_of(r.accesses.begin(), r.accesses.end(),
                     [&](const task_access& a) { return can_bind(a, node); });
}

nanoseconds device_view::predicted_end(const placed_task& t, device_id device) const {
  const machine::device_node& node = machine_.devices[device.value];
  const device_record& d = devices_[device.value];
  const nanoseconds backlog =
      (d.queued + lanes_.backlog(device)) / static_cast<std::int64_t>(node.compute.size());
  nanoseconds arrival{0};
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode) || coherence::ready(*a.buffer->where, node.memory)) continue;
    const std::uint64_t bytes = content_.missing(a.data, a.region(), node.memory);
    if (bytes == 0) continue;
    if (machine_.link_between(host_memory, node.memory)) {
      arrival += costs_.predict_copy(host_memory, node.memory, bytes);
    }
  }
  return std::max(backlog, arrival) + costs_.predict(*t.launch, device);
}

}  // namespace hocket::placement
