// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/decision_json.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

namespace hocket::detail {

namespace {

namespace json = boost::json;

// Readers refuse what they do not know.
constexpr int version = 1;

template <class Id>
json::value number_or_null(Id id) {
  return id.valid() ? json::value(id.value) : json::value(nullptr);
}

json::object idle_json(const device_idle& of) {
  return {{"no_task", of.no_task.count()},
          {"data", of.data.count()},
          {"memory", of.memory.count()},
          {"choice", of.choice.count()},
          {"turn", of.turn.count()}};
}

json::object faults_json(const fault_counts& of) {
  return {{"failed", of.failed},
          {"delayed", of.delayed},
          {"hung", of.hung},
          {"corrupted", of.corrupted},
          {"lost", of.lost}};
}

json::object report_json(const runtime_report& of) {
  json::array devices;
  for (const device_report& each : of.devices) {
    devices.push_back(json::object{{"alive", each.alive},
                                   {"kernels", each.kernels},
                                   {"busy", each.busy.count()},
                                   {"bytes_in", each.bytes_in},
                                   {"bytes_out", each.bytes_out},
                                   {"idle", idle_json(each.idle)}});
  }
  return {{"makespan", of.makespan.count()},
          {"area_bound", of.area_bound.count()},
          {"critical_path", of.critical_path.count()},
          {"repeated_runs", of.repeated_runs},
          {"batched_runs", of.batched_runs},
          {"faults", faults_json(of.faults)},
          {"devices", std::move(devices)}};
}

json::value bus_json(const shared_link& of) {
  if (of.name.empty()) return nullptr;
  return json::object{
      {"name", of.name}, {"bandwidth", of.bytes_per_second}, {"duplex", of.is_duplex}};
}

json::object device_json(const device_info& of, memory_id memory) {
  return {{"name", of.name},
          {"backend", of.backend},
          {"description", of.description},
          {"memory", memory.value},
          {"memory_bytes", of.memory_bytes},
          {"shares_host_memory", of.shares_host_memory},
          {"lanes", of.lanes},
          {"depth", of.depth},
          {"flops", of.flops_per_second},
          {"bandwidth", of.memory_bytes_per_second},
          {"launch", of.launch_latency.count()},
          {"link", of.link_bytes_per_second},
          {"latency", of.link_latency.count()},
          {"bus", bus_json(of.bus)},
          {"peer", of.peer_copies},
          {"peer_link", of.peer_bytes_per_second},
          {"peer_latency", of.peer_latency.count()},
          {"watts", of.watts},
          {"host_cores", of.host_cores}};
}

json::array list_of(const index_list& indices) {
  json::array made;
  for (const std::size_t each : indices) made.emplace_back(each);
  return made;
}

json::object buffer_json(const traced_buffer& of) {
  return {{"id", of.id.value},
          {"label", of.label},
          {"extents", list_of(of.extents)},
          {"element_size", of.element_size}};
}

std::string_view name_of(traced_choice why) {
  static constexpr std::array<std::string_view, 7> names{"none",   "policy", "named", "only",
                                                         "behind", "moved",  "kept"};
  return names[static_cast<std::size_t>(why)];
}

std::string_view name_of(traced_kind kind) {
  static constexpr std::array<std::string_view, 4> names{"launch", "view", "fetch", "domain"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(access_mode mode) {
  if (!writes_content(mode)) return "read";
  return reads_content(mode) ? "update" : "write";
}

json::object access_json(const traced_access& of) {
  json::object made{{"buffer", of.buffer.value}, {"mode", name_of(of.mode)}, {"bytes", of.bytes}};
  if (!of.begin.empty()) {
    made["begin"] = list_of(of.begin);
    made["end"] = list_of(of.end);
  }
  return made;
}

json::object candidate_json(const traced_candidate& of) {
  return {
      {"device", of.device.value},     {"time", of.time.count()},  {"arrival", of.arrival.count()},
      {"end", of.end.count()},         {"bytes", of.bytes},        {"links", of.links.count()},
      {"staying", of.staying.count()}, {"price", of.price.count()}};
}

template <class Values, class Write>
json::array list_of(const Values& values, const Write& write) {
  json::array made;
  made.reserve(values.size());
  for (const auto& each : values) made.emplace_back(write(each));
  return made;
}

json::object task_json(const traced_task& of) {
  json::object made{{"id", of.id.value},
                    {"name", of.name},
                    {"kind", name_of(of.kind)},
                    {"priority", of.priority},
                    {"submitted", of.submitted.count()},
                    {"ready", of.ready.count()},
                    {"issued", of.issued.count()},
                    {"begin", of.begin.count()},
                    {"end", of.end.count()},
                    {"accesses", list_of(of.accesses, access_json)},
                    {"after", list_of(of.after, [](task_id id) { return id.value; })}};
  if (of.failed) made["failed"] = true;
  if (of.kind != traced_kind::launch) return made;
  made["kernel"] = of.kernel;
  made["device"] = number_or_null(of.device);
  made["stream"] = number_or_null(of.stream);
  made["named"] = number_or_null(of.named);
  made["host_only"] = of.host_only;
  made["wide"] = of.wide;
  made["why"] = name_of(of.why);
  made["chosen"] = of.chosen.count();
  made["committed"] = of.committed.count();
  made["predicted"] = of.predicted.count();
  made["flops"] = of.flops;
  made["bytes"] = of.bytes;
  made["candidates"] = list_of(of.candidates, candidate_json);
  return made;
}

json::object copy_json(const traced_copy& of) {
  return {{"task", number_or_null(of.task)},
          {"buffer", of.buffer.value},
          {"from", of.from.value},
          {"to", of.to.value},
          {"stream", of.stream.value},
          {"bytes", of.bytes},
          {"wanted", of.wanted.count()},
          {"begin", of.begin.count()},
          {"end", of.end.count()}};
}

}  // namespace

json::object decision_json(const trace_snapshot& trace) {
  const traced_run& run = trace.run;
  json::array devices;
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    devices.push_back(device_json(run.devices[i], run.memories[i]));
  }
  return {{"version", version},
          {"policy", run.policy},
          {"virtual", run.is_virtual},
          {"dropped", run.dropped},
          {"report", report_json(trace.report)},
          {"streams", list_of(trace.stream_names, [](const std::string& name) { return name; })},
          {"devices", std::move(devices)},
          {"buffers", list_of(run.buffers, buffer_json)},
          {"tasks", list_of(run.tasks, task_json)},
          {"copies", list_of(run.copies, copy_json)}};
}

}  // namespace hocket::detail
