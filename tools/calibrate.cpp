// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "calibrate.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <hocket/core/environment.hpp>
#include <hocket/devices/cost_store.hpp>

#include "calibration.hpp"
#include "common/files.hpp"
#include "common/interrupt.hpp"
#include "common/standard_streams.hpp"
#include "devices.hpp"
#include "machine_output.hpp"
#include "output.hpp"

namespace tools {

namespace {

namespace json = boost::json;
using hocket::nanoseconds;

double factor_of(nanoseconds measured, nanoseconds predicted) {
  return static_cast<double>(measured.count()) /
         static_cast<double>(std::max<std::int64_t>(predicted.count(), 1));
}

std::string time_text(nanoseconds time) {
  const auto count = static_cast<double>(time.count());
  if (count < 1e3) return fmt::format("{:.0f} ns", count);
  if (count < 1e6) return fmt::format("{:.4g} us", count / 1e3);
  return fmt::format("{:.4g} ms", count / 1e6);
}

/// The cells PREDICTED, MEASURED, FACTOR and TIMES of a row.
std::vector<std::string> cells_of(nanoseconds predicted, const std::vector<nanoseconds>& times) {
  const nanoseconds measured = median(times);
  return {time_text(predicted), time_text(measured),
          fmt::format("{:.3g}", factor_of(measured, predicted)), std::to_string(times.size())};
}

std::vector<std::string> with_cells(std::vector<std::string> row, std::vector<std::string> more) {
  row.insert(row.end(), more.begin(), more.end());
  return row;
}

std::string to_text(const calibration& made) {
  std::vector<std::vector<std::string>> launches{
      {"DEVICE", "KERNEL", "SIZE", "PREDICTED", "MEASURED", "FACTOR", "LAUNCHES"}};
  for (const measured_launch& each : made.launches) {
    launches.push_back(
        with_cells({each.device, each.kernel, each.size}, cells_of(each.predicted, each.times)));
  }
  std::string text = table(launches);
  if (made.copies.empty()) return text + "Nothing is copied: all devices use the host's memory.\n";
  std::vector<std::vector<std::string>> copies{
      {"FROM", "TO", "SIZE", "PREDICTED", "MEASURED", "FACTOR", "COPIES"}};
  for (const measured_copy& each : made.copies) {
    copies.push_back(with_cells({each.from, each.to, bytes_text(each.bytes)},
                                cells_of(each.predicted, each.times)));
  }
  std::vector<std::vector<std::string>> links{{"FROM", "TO", "BANDWIDTH", "LATENCY"}};
  for (const measured_link& each : links_of(made.copies)) {
    links.push_back({each.from, each.to, fmt::format("{:.4g} GB/s", each.bytes_per_second / 1e9),
                     time_text(each.latency)});
  }
  return text + "\n" + table(copies) + "\n" + table(links);
}

json::object timed(nanoseconds predicted, const std::vector<nanoseconds>& times) {
  const nanoseconds measured = median(times);
  return {{"predicted_ns", predicted.count()},
          {"measured_ns", measured.count()},
          {"factor", factor_of(measured, predicted)},
          {"times", times.size()}};
}

json::value to_json(const calibration& made, const std::string& kept_in) {
  json::array launches, copies, links, problems;
  for (const measured_launch& each : made.launches) {
    json::object one = timed(each.predicted, each.times);
    one["device"] = each.device;
    one["kernel"] = each.kernel;
    one["flops"] = each.done.flops;
    one["bytes"] = each.done.bytes;
    launches.push_back(std::move(one));
  }
  for (const measured_copy& each : made.copies) {
    json::object one = timed(each.predicted, each.times);
    one["from"] = each.from;
    one["to"] = each.to;
    one["bytes"] = each.bytes;
    copies.push_back(std::move(one));
  }
  for (const measured_link& each : links_of(made.copies)) {
    links.push_back(json::object{{"from", each.from},
                                 {"to", each.to},
                                 {"bytes_per_second", each.bytes_per_second},
                                 {"latency_ns", each.latency.count()}});
  }
  for (const std::string& each : made.problems) problems.push_back(json::string(each));
  json::object all{{"launches", std::move(launches)},     {"copies", std::move(copies)},
                   {"links", std::move(links)},           {"problems", std::move(problems)},
                   {"interrupted", made.was_interrupted}, {"kept_in", nullptr}};
  if (!kept_in.empty()) all["kept_in"] = kept_in;
  return all;
}

/// The file that costs are kept in; empty if there is none, because they are not to be kept or
/// could not be, which was said.
std::string file_of_costs() {
  const hocket::cost_store store(hocket::environment_variable("HOCKET_COSTS").value_or(""));
  std::error_code unknown;
  const bool is_kept = store.is_on() && std::filesystem::exists(store.file(), unknown);
  return is_kept ? store.file().string() : "";
}

calibration measure_devices(const request& asked, const std::stop_token& stop) {
  const progress_line progress;
  hocket::runtime_options options = options_for(asked);
  constexpr std::size_t spans_of_a_sample = 256;
  options.trace_capacity = spans_of_a_sample;
  hocket::runtime rt(options);
  const std::chrono::duration<double> time(asked.seconds);
  return measure(rt, std::chrono::duration_cast<nanoseconds>(time), stop,
                 [&](std::string_view what) { progress.show(what); });
}

}  // namespace

int calibrate(const request& asked) {
  // Before the first other thread.
  const examples::interrupt interrupted;
  const calibration made = measure_devices(asked, interrupted.token());
  const std::string kept_in = file_of_costs();
  if (asked.json) {
    print(to_json(made, kept_in));
  } else {
    print(to_text(made) +
          (kept_in.empty() ? "These costs are not kept for programs.\n"
                           : fmt::format("Programs will find these costs in \"{}\".\n", kept_in)));
  }
  if (!asked.machine.empty()) examples::write_file(asked.machine, machine_file(made));
  for (const std::string& each : made.problems) examples::say(fmt::format("hocket: {}\n", each));
  if (made.was_interrupted) return examples::exit_code_of_interrupt;
  return made.problems.empty() ? 0 : 1;
}

}  // namespace tools
