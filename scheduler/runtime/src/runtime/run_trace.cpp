// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/run_trace.hpp"

#include <cstdio>

#include <hocket/core/environment.hpp>

#include "runtime/environment_options.hpp"
#include "runtime/run_report.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket::detail {

namespace {

std::string policy_of(const runtime_options& options) {
  if (options.own_policy != nullptr) return "own";
  if (!options.policy.empty()) return options.policy;
  return environment_variable("HOCKET_POLICY").value_or(placement_policies().front());
}

void add_decisions(runtime_core& core, trace_snapshot& to) {
  const device_set& machine = core.connection().machine();
  to.report = report_of(core.connection(), core.events());
  to.run.policy = policy_of(core.options());
  to.run.is_virtual = core.where().is_virtual();
  to.run.devices = machine.infos();
  for (const auto& node : machine.description().devices) to.run.memories.push_back(node.memory);
  core.events().inspect([&](const placement::engine& e) { e.state().decisions.add_to(to.run); });
}

/// Of a runtime that has connected no devices.
trace_snapshot trace_of_functions(runtime_core& core) {
  trace_snapshot made;
  core.host_tasks().add_to(made);
  return made;
}

}  // namespace

trace_snapshot trace_of(runtime_core& core) {
  const device_set& machine = core.connection().machine();
  trace_snapshot made;
  if (core.in_place() == nullptr) {
    core.events().inspect([&](const placement::engine& e) {
      made.records = e.state().trace.records().snapshot();
      made.dropped = e.state().trace.records().dropped();
    });
  }
  for (const trace_record& r : made.records) {
    made.record_names.push_back(core.names().name(r.name));
  }
  for (const device_info& info : machine.infos()) made.device_names.push_back(info.name);
  for (std::size_t i = 0; i < machine.description().streams.size(); ++i) {
    made.stream_names.push_back(machine.stream_name(stream_id{i}));
  }
  core.host_tasks().add_to(made);
  if (core.options().trace_decisions && core.in_place() == nullptr) add_decisions(core, made);
  return made;
}

void write_trace_file(runtime_core& core) noexcept {
  try {
    const std::string path = trace_file_of(core.number());
    if (path.empty()) return;
    const bool is_connected = core.connection().is_connected();
    write_trace(is_connected ? trace_of(core) : trace_of_functions(core), path);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "hocket: %s\n", e.what());
  }
}

}  // namespace hocket::detail
