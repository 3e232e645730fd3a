// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "explain_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>
#include <hocket/core/text_file.hpp>

#include "json_reader.hpp"

namespace tools {

namespace {

using hocket::nanoseconds;
using hocket::time_stamp;

// A trace takes some ten times as much memory as its file has bytes.
constexpr std::uint64_t largest_file = std::uint64_t{1} << 30U;
// Three months in nanoseconds; sums of as long times do not overflow.
constexpr std::uint64_t longest_time = std::uint64_t{1} << 53U;
constexpr std::uint64_t most_lanes = 4096;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 56U;
constexpr int known_version = 1;

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw hocket::error(hocket::failure(
      hocket::failure_code::io, fmt::format("The trace {} {}.", hocket::in_quotes(source), why)));
}

nanoseconds time_of(const json_reader& in, const char* key) {
  return nanoseconds(static_cast<nanoseconds::rep>(in.number(key, longest_time)));
}

hocket::device_id device_of(const json_reader& in, const char* key, std::size_t devices) {
  if (in.is_null(key)) return {};
  return hocket::device_id{in.number(key, devices - 1)};
}

hocket::device_idle read_idle(const json_reader& from) {
  return {.no_task = time_of(from, "no_task"),
          .data = time_of(from, "data"),
          .memory = time_of(from, "memory"),
          .choice = time_of(from, "choice"),
          .turn = time_of(from, "turn")};
}

hocket::runtime_report read_report(const json_reader& from) {
  hocket::runtime_report made;
  made.makespan = time_of(from, "makespan");
  made.area_bound = time_of(from, "area_bound");
  made.critical_path = time_of(from, "critical_path");
  from.each("devices", [&](const json_reader& in) {
    hocket::device_report device;
    device.alive = in.flag("alive");
    device.kernels = in.number("kernels");
    device.busy = time_of(in, "busy");
    device.bytes_in = in.number("bytes_in");
    device.bytes_out = in.number("bytes_out");
    device.idle = read_idle(in.object("idle"));
    made.devices.push_back(device);
  });
  return made;
}

void read_device(const json_reader& from, recorded_run& to) {
  hocket::device_info made;
  made.name = from.text("name");
  made.backend = from.text("backend");
  made.description = from.text("description");
  made.memory_bytes = from.number("memory_bytes", most_bytes);
  made.shares_host_memory = from.flag("shares_host_memory");
  made.lanes = std::max<std::size_t>(1, from.number("lanes", most_lanes));
  made.depth = std::clamp<std::size_t>(from.number("depth"), 1, 1024);
  made.flops_per_second = from.rate("flops");
  made.memory_bytes_per_second = from.rate("bandwidth");
  made.launch_latency = time_of(from, "launch");
  made.link_bytes_per_second = from.rate("link");
  made.link_latency = time_of(from, "latency");
  if (!from.is_null("bus")) {
    const json_reader bus = from.object("bus");
    made.bus = {bus.text("name"), bus.rate("bandwidth"), bus.flag("duplex")};
    if (made.bus.bytes_per_second <= 0) bus.refuse("has no bandwidth");
  }
  made.peer_copies = from.flag("peer");
  made.peer_bytes_per_second = from.rate("peer_link");
  made.peer_latency = time_of(from, "peer_latency");
  made.watts = from.rate("watts");
  made.host_cores = from.number("host_cores", most_lanes);
  to.devices.push_back(std::move(made));
  to.memories.push_back(hocket::memory_id{from.number("memory", most_lanes)});
}

hocket::index_list read_list(const json_reader& from, const char* key) {
  hocket::index_list made;
  from.each_number(key, most_bytes, [&](std::uint64_t each) { made.push_back(each); });
  return made;
}

hocket::traced_buffer read_buffer(const json_reader& from) {
  hocket::traced_buffer made{
      .id = hocket::data_id{from.number("id")},
      .label = from.text("label"),
      .extents = read_list(from, "extents"),
      .element_size = from.number("element_size", hocket::most_bytes_of_structure)};
  std::uint64_t bytes = std::max<std::uint64_t>(made.element_size, 1);
  for (const std::size_t each : made.extents) {
    if (each > 0 && bytes > most_bytes / each) from.refuse("has too many elements");
    bytes *= std::max<std::uint64_t>(each, 1);
  }
  return made;
}

hocket::access_mode mode_of(const json_reader& in) {
  return in.one_of<hocket::access_mode>("mode", {{"read", hocket::access_mode::read},
                                                 {"write", hocket::access_mode::write},
                                                 {"update", hocket::access_mode::update}});
}

hocket::traced_access read_access(const json_reader& from, const recorded_run& in) {
  hocket::traced_access made;
  made.buffer = hocket::data_id{from.number("buffer")};
  made.mode = mode_of(from);
  made.bytes = from.number("bytes", most_bytes);
  const auto at = std::ranges::lower_bound(in.buffers, made.buffer, {}, &hocket::traced_buffer::id);
  if (at == in.buffers.end() || at->id != made.buffer)
    from.refuse("names a buffer that the trace does not have");
  if (!from.has("begin")) return made;
  made.begin = read_list(from, "begin");
  made.end = read_list(from, "end");
  bool fits = made.begin.size() == at->extents.size() && made.end.size() == at->extents.size();
  for (std::size_t i = 0; fits && i < made.end.size(); ++i) {
    fits = made.begin[i] <= made.end[i] && made.end[i] <= at->extents[i];
  }
  if (!fits) from.refuse("has a region that is not in its buffer");
  return made;
}

hocket::traced_candidate read_candidate(const json_reader& from, std::size_t devices) {
  hocket::traced_candidate made;
  made.device = hocket::device_id{from.number("device", devices - 1)};
  made.time = time_of(from, "time");
  made.arrival = time_of(from, "arrival");
  made.end = time_of(from, "end");
  made.bytes = from.number("bytes", most_bytes);
  made.links = time_of(from, "links");
  made.staying = time_of(from, "staying");
  made.price = time_of(from, "price");
  return made;
}

void read_launch(const json_reader& from, const recorded_run& in, hocket::traced_task& to) {
  using hocket::traced_choice;
  const std::size_t devices = in.devices.size();
  to.kernel = from.text("kernel");
  to.device = device_of(from, "device", devices);
  to.named = device_of(from, "named", devices);
  if (!from.is_null("stream")) {
    to.stream = hocket::stream_id{from.number("stream", in.stream_names.size() - 1)};
  }
  to.host_only = from.flag("host_only");
  to.wide = from.flag("wide");
  to.why = from.one_of<traced_choice>("why", {{"none", traced_choice::none},
                                              {"policy", traced_choice::policy},
                                              {"named", traced_choice::named},
                                              {"only", traced_choice::only},
                                              {"behind", traced_choice::behind},
                                              {"moved", traced_choice::moved},
                                              {"kept", traced_choice::kept}});
  to.chosen = time_of(from, "chosen");
  to.committed = time_of(from, "committed");
  to.predicted = time_of(from, "predicted");
  to.flops = from.rate("flops");
  to.bytes = from.rate("bytes");
  from.each("candidates", [&](const json_reader& each) {
    to.candidates.push_back(read_candidate(each, devices));
  });
}

void read_task(const json_reader& from, recorded_run& to) {
  using hocket::traced_kind;
  hocket::traced_task made;
  made.id = hocket::task_id{from.number("id")};
  made.number = to.tasks.size();
  made.name = from.text("name");
  made.kind = from.one_of<traced_kind>("kind", {{"launch", traced_kind::launch},
                                                {"view", traced_kind::view},
                                                {"fetch", traced_kind::fetch},
                                                {"domain", traced_kind::domain}});
  made.priority = from.signed_number("priority");
  made.submitted = time_of(from, "submitted");
  made.ready = time_of(from, "ready");
  made.issued = time_of(from, "issued");
  made.begin = time_of(from, "begin");
  made.end = time_of(from, "end");
  made.failed = from.has("failed");
  if (made.end < made.begin || made.end < made.submitted) from.refuse("ends before it began");
  from.each("accesses",
            [&](const json_reader& each) { made.accesses.push_back(read_access(each, to)); });
  from.each_number("after", std::numeric_limits<std::uint64_t>::max(),
                   [&](std::uint64_t id) { made.after.push_back(hocket::task_id{id}); });
  if (made.kind == traced_kind::launch) read_launch(from, to, made);
  if (!to.places.emplace(made.id.value, to.tasks.size()).second) from.refuse("is there twice");
  to.tasks.push_back(std::move(made));
}

hocket::traced_copy read_copy(const json_reader& from, const recorded_run& in) {
  hocket::traced_copy made;
  if (!from.is_null("task")) made.task = hocket::task_id{from.number("task")};
  made.buffer = hocket::data_id{from.number("buffer")};
  made.from = hocket::memory_id{from.number("from", most_lanes)};
  made.to = hocket::memory_id{from.number("to", most_lanes)};
  made.stream = hocket::stream_id{from.number("stream", in.stream_names.size() - 1)};
  made.bytes = from.number("bytes", most_bytes);
  made.wanted = time_of(from, "wanted");
  made.begin = time_of(from, "begin");
  made.end = time_of(from, "end");
  if (made.end < made.begin) from.refuse("ends before it began");
  return made;
}

recorded_run read_run(const json_reader& from) {
  recorded_run made;
  if (from.number("version") != known_version) {
    from.refuse(fmt::format("has version {}; this program reads version {}", from.number("version"),
                            known_version));
  }
  made.policy = from.text("policy");
  made.is_virtual = from.flag("virtual");
  made.dropped = from.number("dropped");
  made.report = read_report(from.object("report"));
  from.each_text("streams", [&](const std::string& name) { made.stream_names.push_back(name); });
  from.each("devices", [&](const json_reader& each) { read_device(each, made); });
  if (made.devices.empty() || made.devices.size() != made.report.devices.size()) {
    from.refuse("has no devices, or no report of each");
  }
  if (made.stream_names.empty()) from.refuse("has no streams");
  from.each("buffers", [&](const json_reader& each) { made.buffers.push_back(read_buffer(each)); });
  std::ranges::sort(made.buffers, {}, &hocket::traced_buffer::id);
  from.each("tasks", [&](const json_reader& each) { read_task(each, made); });
  from.each("copies",
            [&](const json_reader& each) { made.copies.push_back(read_copy(each, made)); });
  return made;
}

}  // namespace

std::string recorded_run::label_of(hocket::data_id buffer) const {
  const auto at = std::ranges::lower_bound(buffers, buffer, {}, &hocket::traced_buffer::id);
  return at == buffers.end() || at->id != buffer ? "" : at->label;
}

recorded_run read_trace(const std::string& path) {
  const hocket::result<std::string> text = hocket::read_text_file(path, largest_file);
  if (!text) refuse(path, "cannot be read: " + text.error().message());
  return parse_trace(text.value(), path);
}

recorded_run parse_trace(std::string_view text, const std::string& source) {
  boost::json::error_code problem;
  const boost::json::value all = boost::json::parse(text, problem);
  if (problem) refuse(source, "is no whole JSON: " + problem.message());
  const auto* const object = all.if_object();
  const auto* const own = object == nullptr ? nullptr : object->if_contains("hocket");
  if (own == nullptr) {
    refuse(source,
           "says nothing of decisions; runs with HOCKET_TRACE, or with "
           "runtime_options::trace_decisions, write a trace that does");
  }
  return read_run(json_reader(*own, "The trace " + hocket::in_quotes(source)));
}

}  // namespace tools
