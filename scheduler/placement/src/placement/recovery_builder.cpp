// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/recovery_builder.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace hocket::placement {

std::unique_ptr<recovery_run> recovery_builder::build(const recovery_plan& plan,
                                                      const std::vector<recovery_step>& saves) {
  auto made = std::make_unique<recovery_run>();
  const std::vector<bool> in_place = found_in_place(plan);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const recovery_step& step = plan.steps[i];
    if (in_place[i]) {
      revive(step);
    } else if (step.task == nullptr) {
      fill_restore(made->add(), step);
    } else {
      fill(made->add(), step);
    }
  }
  for (const recovery_step& each : saves) fill_save(made->add(), each);
  if (made->all().empty()) return nullptr;
  add_edges(*made);
  made->begin(task_id{first_recovery_number + numbers_});
  numbers_ += made->all().size();
  return made;
}

/// Which steps restore content that lies in the block of the host, and that no step before them
/// overwrites.
std::vector<bool> recovery_builder::found_in_place(const recovery_plan& plan) const {
  std::map<data_id, region_map<bool>> written;
  const auto of = [&](data_id data) -> region_map<bool>& {
    return written.try_emplace(data, s_.buffers.find(data)->all, false).first->second;
  };
  std::vector<bool> made;
  for (const recovery_step& step : plan.steps) {
    const bool restores = step.task == nullptr;
    made.push_back(restores && step.from == nullptr &&
                   of(step.data).all(step.region, [](bool is_written) { return !is_written; }));
    if (restores) {
      of(step.data).replace(step.region, true);
      continue;
    }
    for (const logged_task::access& a : step.task->accesses) {
      if (writes_content(a.mode)) of(a.data).replace(a.region(), true);
    }
  }
  return made;
}

void recovery_builder::revive(const recovery_step& step) {
  s_.content.note_write(step.data, step.region, host_memory, point{}, new_id());
  s_.evictions.touch(step.data);
}

void recovery_builder::fill(recovery_task& made, const recovery_step& step) {
  const logged_task& from = *step.task;
  made.position = step.position;
  made.label = from.label;
  made.bytes = from.bytes;
  made.trace_name = from.trace_name;
  if (from.on.valid() && s_.devices[from.on.value].is_used()) made.on = from.on;
  made.launch = new counted_launch;
  if (from.torn) {
    made.original = s_.tasks.find(from.id);
    made.host_only = made.original->host_only;
    const launch_command& own = *made.original->launch;
    made.launch->kernel = own.kernel;
    made.launch->scalars = own.scalars;
    made.launch->cost = own.cost;
    made.launch->width = own.width;
  } else {
    made.launch->kernel = from.kernel;
    made.launch->scalars = from.scalars;
    made.launch->cost = from.cost;
    made.launch->width = from.width;
  }
  made.accesses.reserve(from.accesses.size());
  for (const logged_task::access& a : from.accesses) {
    task_access& access = made.accesses.emplace_back();
    access.data = a.data;
    access.buffer = s_.buffers.find(a.data);
    access.part = a.part.get();
    access.mode = a.mode;
    access.is_all = a.region() == s_.buffers.find(a.data)->all;
    access.is_in_history = false;
    made.launch->buffers.emplace_back().part = a.part;
  }
  avoid_devices(made, from.id);
}

/// The task goes to the fastest device that it has not failed on, if there is one.
void recovery_builder::avoid_devices(recovery_task& made, task_id original) {
  if (made.on.valid() || s_.retries.failures(original) == 0) return;
  device_id fastest;
  bool avoids = false;
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    const device_id device{i};
    if (!s_.view.can_run(made, device)) continue;
    const auto time = [&](device_id on) { return s_.costs.predict(*made.launch, on); };
    if (s_.retries.avoids(original, device)) {
      avoids = true;
    } else if (!fastest.valid() || time(device) < time(fastest)) {
      fastest = device;
    }
  }
  if (avoids && fastest.valid()) made.on = fastest;
}

void recovery_builder::fill_restore(recovery_task& made, const recovery_step& step) {
  const tracked_buffer& buffer = *s_.buffers.find(step.data);
  kept_ref from = step.from;
  if (from == nullptr) {
    // An earlier step overwrites the block of the host.
    from = std::make_shared<kept_bytes>();
    from->part = part_of_array(buffer.type, buffer.all.end, step.region);
    s_.work.actions().emplace_back(put_aside{s_.content.block(step.data, host_memory), from});
    s_.log.versions().keep(step.position, step.data, from);
  }
  made.label = task_label("restore " + buffer.label);
  // In the trace it is the task that wrote the content first.
  const task_log& tasks = s_.log.tasks();
  if (step.position >= tasks.first()) made.trace_name = tasks.at(step.position).trace_name;
  made.from = std::move(from);
  fill_view(made, step).mode = access_mode::write;
}

void recovery_builder::fill_save(recovery_task& made, const recovery_step& step) {
  made.label = task_label("save " + s_.buffers.find(step.data)->label);
  made.saves = true;
  fill_view(made, step).mode = access_mode::read;
}

task_access& recovery_builder::fill_view(recovery_task& made, const recovery_step& step) {
  const tracked_buffer& buffer = *s_.buffers.find(step.data);
  made.position = step.position;
  made.kind = task_kind::view;
  made.bytes = s_.content.bytes(step.data);
  made.part = part_of_array(buffer.type, buffer.all.end, step.region);
  task_access& access = made.accesses.emplace_back();
  access.data = step.data;
  access.part = made.part.get();
  access.is_all = step.region == buffer.all;
  access.is_in_history = false;
  return access;
}

/// As their accesses are in conflict, in the order of the steps.
void recovery_builder::add_edges(recovery_run& run) const {
  std::map<data_id, task_accesses> histories;
  std::uint64_t number = 0;
  for (recovery_task& t : run.all()) {
    std::vector<recorded_edge>& edges = t.own_edges;
    const task_id own{number++};
    const auto is_live = [](task_id) { return true; };
    const auto depend = [&](task_id earlier, edge_kind kind, const box*) {
      if (earlier != own) edges.push_back({static_cast<std::uint32_t>(earlier.value), kind});
      return true;
    };
    const auto append = [&](const task_access& a) {
      if (a.is_empty()) return;
      histories[a.data].append(own, a.is_all ? nullptr : &a.region(), s_.buffers.find(a.data)->all,
                               a.mode, is_live, depend);
    };
    for (const task_access& a : t.accesses) {
      if (reads_content(a.mode)) append(a);
    }
    for (const task_access& a : t.accesses) {
      if (!reads_content(a.mode)) append(a);
    }
    std::ranges::sort(edges, {},
                      [](const recorded_edge& e) { return std::pair(e.before, e.kind); });
    const auto same = [](const recorded_edge& a, const recorded_edge& b) {
      return a.before == b.before;
    };
    edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
  }
}

}  // namespace hocket::placement
