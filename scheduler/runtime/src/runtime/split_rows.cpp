// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/split_rows.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <hocket/core/exact_text.hpp>
#include <hocket/devices/prediction.hpp>

#include "runtime/runtime_core.hpp"

namespace hocket {

namespace {

// The last pieces are a 64th of what a lane would have if all were alike: devices of any speeds
// then end within about that of one another.
constexpr std::size_t rounds = 6;

// A piece takes so many times what starting it does, at least.
constexpr double least_gain = 4;
// Of a device that needs no time to launch: what the host does for a task.
constexpr std::chrono::nanoseconds shortest_start = std::chrono::microseconds(2);

/// All that the prediction of a launch depends on.
struct launch_cost {
  launch_work total;
  body_width width = body_width::serial;
  std::string_view kernel;
};

/// How many rows the device that is fastest works on for long enough.
std::size_t rows_worth_a_task(const std::vector<device_info>& devices, std::size_t rows,
                              const launch_cost& cost) {
  double shortest = 0;
  double start = 0;
  for (const device_info& each : devices) {
    const nanoseconds whole = predicted_launch(each, cost.total, cost.width, cost.kernel);
    const double busy = std::max(static_cast<double>((whole - each.launch_latency).count()), 1.0);
    if (start != 0 && busy >= shortest) continue;
    shortest = busy;
    start = static_cast<double>(std::max(each.launch_latency, shortest_start).count());
  }
  const double worth = least_gain * start / shortest * static_cast<double>(rows);
  return worth < static_cast<double>(rows) ? static_cast<std::size_t>(std::ceil(worth)) : rows;
}

/// Pieces that begin where vectors and cache lines do, where that changes little.
std::size_t rounded(std::size_t rows) { return rows < 4096 ? rows : rows - rows % 256; }

std::vector<row_range> cut(const std::vector<device_info>& devices, std::size_t rows,
                           const launch_cost& cost, std::size_t least_rows) {
  std::size_t lanes = 0;
  for (const device_info& each : devices) lanes += each.lanes;
  if (least_rows == 0) least_rows = rows_worth_a_task(devices, rows, cost);
  least_rows = std::max<std::size_t>({least_rows, (rows / lanes) >> rounds, 1});

  std::vector<row_range> pieces;
  std::size_t first = 0;
  while (first < rows) {
    const std::size_t of_round = std::max(rounded((rows - first) / (2 * lanes)), least_rows);
    for (std::size_t lane = 0; lane < lanes && first < rows; ++lane) {
      const std::size_t left = rows - first;
      // A last piece that were smaller than allowed joins the one before.
      const bool is_last = left <= of_round || left - of_round < least_rows;
      const std::size_t taken = is_last ? left : of_round;
      pieces.push_back({first, first + taken});
      first += taken;
    }
  }
  return pieces;
}

const std::vector<device_info>& devices_of(submitter& to) {
  return to.home().core()->connection().machine().infos();
}

std::string counted_rows(const detail::split_region& region) {
  return "buffer \"" + region.cut->data->label() + "\" has " + std::to_string(region.extents[0]) +
         " rows";
}

/// The rows that all regions have that are cut.
std::size_t common_rows(const std::vector<detail::split_region>& regions) {
  const auto is_cut = [](const detail::split_region& each) { return each.cut != nullptr; };
  const auto first = std::ranges::find_if(regions, is_cut);
  for (auto at = first; at != regions.end(); ++at) {
    if (!is_cut(*at) || at->extents[0] == first->extents[0]) continue;
    throw usage_error("A task cannot be split: " + counted_rows(*first) + " and " +
                      counted_rows(*at) + ". Is one of them meant whole()?");
  }
  return first->extents[0];
}

launch_cost cost_of(const kernel_definition* kernel,
                    const std::vector<detail::split_region>& regions) {
  if (kernel != nullptr) {
    launch_shape shape;
    for (const detail::split_region& each : regions) shape.push_back(each.extents);
    if (kernel->check) kernel->check(shape);
    return {kernel->work_of(shape), kernel->width_of(shape), kernel->name};
  }
  launch_cost made;
  for (const detail::split_region& each : regions) {
    made.total.add_buffer(volume(each.extents), each.type, each.mode);
  }
  return made;
}

}  // namespace

std::vector<row_range> cut_rows(submitter& to, std::size_t rows, const launch_work& cost,
                                std::size_t least_rows) {
  for (const double each : {cost.flops, cost.bytes}) {
    if (std::isfinite(each) && each >= 0) continue;
    throw usage_error("Rows cannot be cut by a cost of " + exact_text(each) +
                      ": it must be finite and not negative.");
  }
  return cut(devices_of(to), rows, {.total = cost, .kernel = {}}, least_rows);
}

std::vector<row_range> detail::cut_alike(submitter& to, const split_options& options,
                                         const kernel_definition* kernel,
                                         const std::vector<split_region>& regions) {
  if (options.task.takes || !options.task.returns.empty()) {
    throw usage_error(
        "A split task has a budget, which is for single tasks: each of its pieces would take or "
        "return all of it. Submit the pieces that cut_rows names one by one.");
  }
  if (kernel != nullptr && kernel->positional) {
    throw usage_error("Kernel \"" + kernel->name +
                      "\" cannot be split: its results depend on where elements are in the "
                      "region, and each piece begins at its own first row.");
  }
  const std::size_t rows = common_rows(regions);
  return cut(devices_of(to), rows, cost_of(kernel, regions), options.least_rows);
}

}  // namespace hocket
