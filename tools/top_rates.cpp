// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "top_rates.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "json_reader.hpp"

namespace tools {

namespace {

double difference(std::uint64_t before, std::uint64_t last) {
  return last > before ? static_cast<double>(last - before) : 0.0;
}

}  // namespace

rate_meter::state rate_meter::parse(const hocket::exported_counters& file) {
  const std::string where = fmt::format("The counters of process {}", file.from.process);
  boost::json::error_code problem;
  const boost::json::value content = boost::json::parse(file.content, problem);
  const json_reader all(content, where);
  if (all.number("hocket_counters") != 1) all.refuse("are of another version of Hocket");
  state made;
  made.program = all.text("program");
  made.time_ns = all.number("now_ns");
  made.ended = all.number("ended");
  made.pending = all.number("pending");
  made.are_placed = all.flag("placed");
  all.each("devices", [&](const json_reader& from) {
    device_state& device = made.devices.emplace_back();
    device.now.name = from.text("name");
    device.now.backend = from.text("backend");
    device.now.alive = from.flag("alive");
    if (from.has("state")) device.now.state = from.text("state");
    device.now.used_bytes = from.number("used_bytes");
    device.now.memory_bytes = from.number("memory_bytes");
    device.now.queued = from.number("queued");
    device.now.in_flight = from.number("in_flight");
    device.lanes = std::max<std::uint64_t>(from.number("lanes"), 1);
    device.kernels = from.number("kernels");
    device.busy_ns = from.number("busy_ns");
    device.bytes_in = from.number("bytes_in");
    device.bytes_out = from.number("bytes_out");
  });
  return made;
}

void rate_meter::add(const std::vector<hocket::exported_counters>& all) {
  problems_.clear();
  std::map<hocket::exporter_id, two_states> found;
  for (const hocket::exported_counters& file : all) {
    try {
      state read = parse(file);
      const auto at = known_.find(file.from);
      two_states states;
      if (at != known_.end()) states = std::move(at->second);
      if (read.time_ns != states.last.time_ns) states.before = std::move(states.last);
      states.last = std::move(read);
      found.emplace(file.from, std::move(states));
    } catch (const hocket::error& why) {
      problems_.emplace_back(why.what());
    }
  }
  known_ = std::move(found);
}

device_rates rate_meter::rates_of(const device_state& before, const device_state& last,
                                  double seconds) {
  device_rates made = last.now;
  if (!(seconds > 0)) return made;
  const double lanes = static_cast<double>(last.lanes);
  made.kernels_per_second = difference(before.kernels, last.kernels) / seconds;
  made.bytes_in_per_second = difference(before.bytes_in, last.bytes_in) / seconds;
  made.bytes_out_per_second = difference(before.bytes_out, last.bytes_out) / seconds;
  // A kernel is counted when it ends, with all of its time.
  made.busy = std::min(difference(before.busy_ns, last.busy_ns) / (seconds * 1e9 * lanes), 1.0);
  const bool none_ended = last.kernels == before.kernels && last.busy_ns == before.busy_ns;
  const std::uint64_t all_the_time = std::min(before.now.in_flight, last.now.in_flight);
  if (none_ended) made.busy = std::min(static_cast<double>(all_the_time) / lanes, 1.0);
  return made;
}

std::vector<runtime_rates> rate_meter::rates() const {
  std::vector<runtime_rates> made;
  for (const auto& [from, states] : known_) {
    const state &before = states.before, &last = states.last;
    const double seconds = difference(before.time_ns, last.time_ns) / 1e9;
    runtime_rates& all = made.emplace_back();
    all.from = from;
    all.program = last.program;
    if (seconds > 0) all.tasks_per_second = difference(before.ended, last.ended) / seconds;
    all.ended = last.ended;
    all.pending = last.pending;
    all.are_placed = last.are_placed;
    for (std::size_t i = 0; i < last.devices.size(); ++i) {
      const bool is_known = before.devices.size() == last.devices.size();
      all.devices.push_back(
          rates_of(is_known ? before.devices[i] : device_state{}, last.devices[i], seconds));
    }
  }
  return made;
}

}  // namespace tools
