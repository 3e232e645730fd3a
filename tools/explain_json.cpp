// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <boost/json.hpp>

#include "explain_findings.hpp"

namespace tools {

namespace {

namespace json = boost::json;
using hocket::traced_task;

json::value device_name(const recorded_run& run, hocket::device_id device) {
  return device.valid() ? json::value(run.name_of(device)) : json::value(nullptr);
}

json::object waits_json(const task_waits& of) {
  static constexpr std::array<const char*, names_of_causes.size()> keys{
      "dependence", "data", "link", "memory", "lane", "other"};
  json::object made;
  for (std::size_t i = 0; i < keys.size(); ++i) made[keys[i]] = of.by_cause[i].count();
  return made;
}

json::object part_json(const recorded_run& run, const path_part& of) {
  json::object made{{"gap", of.gap.count()},
                    {"behind", names_of_causes[static_cast<std::size_t>(of.behind)]}};
  if (of.task != nullptr) {
    made["task"] = of.task->id.value;
    made["name"] = of.task->name;
    made["device"] = device_name(run, of.task->device);
    made["begin"] = of.task->begin.count();
    made["end"] = of.task->end.count();
  } else {
    made["copy_of"] = of.copy->buffer.value;
    made["bytes"] = of.copy->bytes;
    made["begin"] = of.copy->begin.count();
    made["end"] = of.copy->end.count();
  }
  return made;
}

json::array devices_json(const recorded_run& run) {
  json::array made;
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    const hocket::device_report& of = run.report.devices[i];
    made.push_back(json::object{{"name", run.devices[i].name},
                                {"kernels", of.kernels},
                                {"busy", of.busy.count()},
                                {"bytes_in", of.bytes_in},
                                {"bytes_out", of.bytes_out},
                                {"idle", json::object{{"no_task", of.idle.no_task.count()},
                                                      {"data", of.idle.data.count()},
                                                      {"memory", of.idle.memory.count()},
                                                      {"choice", of.idle.choice.count()},
                                                      {"turn", of.idle.turn.count()}}}});
  }
  return made;
}

}  // namespace

json::object task_json(const recorded_run& run, const wait_finder& waits, const traced_task& of) {
  json::array candidates, after;
  for (const hocket::traced_candidate& c : of.candidates) {
    candidates.push_back(json::object{{"device", device_name(run, c.device)},
                                      {"time", c.time.count()},
                                      {"arrival", c.arrival.count()},
                                      {"end", c.end.count()},
                                      {"bytes", c.bytes},
                                      {"links", c.links.count()},
                                      {"staying", c.staying.count()},
                                      {"price", c.price.count()},
                                      {"sum", sum_of(c).count()}});
  }
  for (const hocket::task_id id : of.after) after.push_back(id.value);
  return {{"id", of.id.value},
          {"name", of.name},
          {"kernel", of.kernel},
          {"device", device_name(run, of.device)},
          {"why", why_text(run, of)},
          {"submitted", of.submitted.count()},
          {"ready", of.ready.count()},
          {"chosen", of.chosen.count()},
          {"committed", of.committed.count()},
          {"issued", of.issued.count()},
          {"begin", of.begin.count()},
          {"end", of.end.count()},
          {"predicted", of.predicted.count()},
          {"failed", of.failed},
          {"waited", waits_json(waits.waits_of(of))},
          {"after", std::move(after)},
          {"candidates", std::move(candidates)}};
}

json::object run_json(const recorded_run& run, const wait_finder& waits,
                      const run_findings& found) {
  json::array path, mispredicted;
  for (const path_part& each : found.path) path.push_back(part_json(run, each));
  for (const traced_task* const each : found.mispredicted) {
    mispredicted.push_back(task_json(run, waits, *each));
  }
  json::object longest;
  for (std::size_t i = 0; i < found.longest.size(); ++i) {
    if (found.longest[i] == nullptr) continue;
    longest[names_of_causes[i]] = task_json(run, waits, *found.longest[i]);
  }
  return {{"tasks", run.tasks.size()},
          {"copies", run.copies.size()},
          {"dropped", run.dropped},
          {"policy", run.policy},
          {"makespan", run.report.makespan.count()},
          {"area_bound", run.report.area_bound.count()},
          {"critical_path", run.report.critical_path.count()},
          {"devices", devices_json(run)},
          {"path", std::move(path)},
          {"mispredicted", std::move(mispredicted)},
          {"waited_longest", std::move(longest)}};
}

}  // namespace tools
