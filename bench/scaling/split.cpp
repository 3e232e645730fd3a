// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// One launch over many rows on unequal devices, on the virtual clock: cut by split_rows, and cut
// into equal pieces, as a program would by itself.

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

using cutter =
    std::function<std::vector<row_range>(runtime& home, std::size_t rows, const launch_work& cost)>;

std::vector<row_range> equal_pieces(std::size_t rows, std::size_t pieces) {
  std::vector<row_range> made;
  for (std::size_t i = 0; i < pieces; ++i) {
    made.push_back({rows * i / pieces, rows * (i + 1) / pieces});
  }
  return made;
}

/// Devices of so many times 100 GFLOP/s, on which a launch takes ten microseconds.
runtime_options machine_of(const std::vector<unsigned>& speeds) {
  runtime_options made{.clock = clock_kind::simulated};
  std::string& configuration = made.backends["sim"];
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    made.devices.add(fmt::format("Sim{}", i));
    configuration +=
        fmt::format("{}1,flops={}00G,launch=10us,link=50G", i == 0 ? "" : ";", speeds[i]);
  }
  return made;
}

/// The time of the third launch, when data are where the first two left them, as a multiple of the
/// least possible time.
double over_bound(const std::vector<unsigned>& speeds, double flops_a_row, const cutter& cut) {
  constexpr std::size_t rows = 1 << 22;
  const kernel<inout_buffer<float>> each =
      kernel<inout_buffer<float>>{"row by row", host_body{[](buffer_view<float>) {}}}.cost(
          [=](const launch_shape& launch) {
            return launch_work{flops_a_row * static_cast<double>(launch[0][0]), 0};
          });
  runtime home(machine_of(speeds));
  const buffer<float> x{home, rows, 1.0f};
  time_stamp begin{};
  for (int launch = 0; launch < 3; ++launch) {
    home.wait();
    begin = home.now();
    for (const auto [first, last] : cut(home, rows, {flops_a_row * rows, 0})) {
      home.submit(each, updates(x.rows(first, last)));
    }
  }
  home.wait();
  const double seconds = std::chrono::duration<double>(home.now() - begin).count();
  const unsigned together = std::accumulate(speeds.begin(), speeds.end(), 0U);
  return seconds * together * 1e11 / (flops_a_row * static_cast<double>(rows));
}

comparison compared(const std::vector<unsigned>& speeds, double flops_a_row) {
  comparison made{fmt::format("split {} at {} flops", fmt::join(speeds, ":"), flops_a_row),
                  "third_launch",
                  "of the bound",
                  1,
                  {}};
  made.size = speeds.size();
  made.once = true;  // the virtual clock gives the same answer every time
  const auto add = [&](const std::string& name, cutter cut) {
    made.contenders.push_back(
        {name, [=] { return [=] { return over_bound(speeds, flops_a_row, cut); }; }});
  };
  add("hocket", [](runtime& home, std::size_t rows, const launch_work& cost) {
    return cut_rows(home, rows, cost);
  });
  const auto of_each = [devices = speeds.size()](std::size_t pieces) {
    return [=](runtime&, std::size_t rows, const launch_work&) {
      return equal_pieces(rows, pieces * devices);
    };
  };
  add("1 a device", of_each(1));
  add("8 a device", of_each(8));
  add("64 a device", of_each(64));
  return made;
}

}  // namespace

std::vector<comparison> split_comparisons(const settings& wanted) {
  using machine = std::vector<unsigned>;
  std::vector<machine> machines{{1, 10}};
  if (!wanted.quick) {
    machines.insert(
        machines.end(),
        {{1, 1}, {1, 100}, {8, 4, 2, 1}, {10, 40, 20, 5, 5}, machine(8, 1), {1, 1, 1, 1, 5, 20}});
  }
  std::vector<comparison> all;
  for (const machine& each : machines) all.push_back(compared(each, 1000));
  // So short that starting tasks costs much of it.
  for (const machine& each : machines) all.push_back(compared(each, 100));
  return all;
}

}  // namespace hocket::bench
