// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "common/standard_streams.hpp"
#include "files.hpp"

namespace train {

namespace {

namespace json = boost::json;

/// JSON has no word for what is not finite.
json::value number(double value) { return std::isfinite(value) ? json::value(value) : nullptr; }

json::object device_to_json(const device_report& device) {
  return {{"name", device.name},
          {"kind", device.kind},
          {"kernels", device.kernels},
          {"busy", number(device.busy)},
          {"bytes_in", device.bytes_in},
          {"bytes_out", device.bytes_out},
          {"peak_bytes", device.peak_bytes},
          {"flops_share", number(device.flops_share)}};
}

std::string readable_bytes(std::uint64_t bytes) {
  constexpr double step = 1024;
  constexpr std::string_view units = "KMGT";
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes) / step;
  std::size_t unit = 0;
  for (; value >= step && unit + 1 < units.size(); ++unit) value /= step;
  return fmt::format("{:.1f} {}iB", value, units[unit]);
}

}  // namespace

std::string to_table(const run_report& report) {
  std::string text = fmt::format(
      "{}: test accuracy {:.2f} % after {} epochs in {:.2f} s\n"
      "schedule {}: bubble {:.2f} % measured, {:.2f} % in theory ({} clock); {:.1f} % of the "
      "transfers' time is hidden behind kernels\n\n",
      report.dataset, 100 * report.test_accuracy, report.epochs, report.seconds, report.schedule,
      100 * report.bubble, 100 * report.bubble_theory, report.clock, 100 * report.transfers_hidden);
  std::size_t widest = 6;
  for (const device_report& device : report.devices) widest = std::max(widest, device.name.size());
  text += fmt::format("{:<{}}  {:<8}  {:>9}  {:>7}  {:>10}  {:>10}  {:>10}  {:>10}\n", "device",
                      widest, "kind", "kernels", "busy", "in", "out", "peak", "arithmetic");
  for (const device_report& device : report.devices) {
    text += fmt::format("{:<{}}  {:<8}  {:>9}  {:>5.1f} %  {:>10}  {:>10}  {:>10}  {:>8.1f} %\n",
                        device.name, widest, device.kind, device.kernels, 100 * device.busy,
                        readable_bytes(device.bytes_in), readable_bytes(device.bytes_out),
                        readable_bytes(device.peak_bytes), 100 * device.flops_share);
  }
  return text;
}

std::string to_json(const run_report& report) {
  json::array loss;
  for (const double each : report.loss) loss.push_back(number(each));
  json::array devices;
  for (const device_report& device : report.devices) devices.push_back(device_to_json(device));
  const json::object all{{"test_accuracy", number(report.test_accuracy)},
                         {"seconds", number(report.seconds)},
                         {"bubble", number(report.bubble)},
                         {"bubble_theory", number(report.bubble_theory)},
                         {"transfers_hidden", number(report.transfers_hidden)},
                         {"weights_hash", report.weights_hash},
                         {"epochs", report.epochs},
                         {"loss", std::move(loss)},
                         {"seed", report.seed},
                         {"schedule", report.schedule},
                         {"clock", report.clock},
                         {"dataset", report.dataset},
                         {"devices", std::move(devices)}};
  return json::serialize(all) + "\n";
}

void publish(const run_report& report, const std::optional<std::filesystem::path>& json) {
  const std::string table = to_table(report);
  if (json == "-") {
    examples::say(table);
  } else {
    write_file("-", table);
  }
  if (json) write_file(*json, to_json(report));
}

}  // namespace train
