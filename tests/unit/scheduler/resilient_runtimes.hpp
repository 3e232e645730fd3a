// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

// A runtime on simulated devices and the virtual clock that survives failures of devices.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hocket/devices/sim.hpp>
#include <hocket/hocket.hpp>

#include "runtime/runtime_core.hpp"
#include "runtimes.hpp"

namespace hocket {

inline constexpr std::size_t tile_size = 100;

inline const auto add_one = kernel<inout_buffer<float>>{
    "add one", host_body{[](buffer_view<float> x) {
      for (float& each : x) each += 1;
    }}}.cost([](const launch_shape&) {
  return launch_work{1e6, 0};
});
inline const auto add_other = kernel<in_buffer<float>, inout_buffer<float>>{
    "add other", host_body{[](buffer_view<const float> from, buffer_view<float> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    }}}.cost([](const launch_shape&) {
  return launch_work{3e6, 0};
});

inline runtime_options surviving(std::size_t max_repeated = 10'000) {
  return {.backends = {{"cpu", "flops=1G"}, {"sim", "1,flops=5G;1,flops=4G;1,flops=3G"}},
          .clock = clock_kind::simulated,
          .policy = "earliest-end",
          .topology = testing::machine("numa:1 core:2 pu:1"),
          .resilience = resilience_kind::survive,
          .max_repeated = max_repeated};
}

class resilience : public ::testing::Test {
 protected:
  explicit resilience(const runtime_options& options = surviving()) : rt(options) {}

  [[nodiscard]] sim_device& simulated(const std::string& name) {
    device& found = rt.core()->connection().machine().at(rt.device(name).id);
    return dynamic_cast<sim_device&>(found);
  }
  void lose(const std::string& name) {
    simulated(name).lose({failure_code::device_lost, "It is gone."});
  }
  /// The next launches on the device fail.
  void fail_next(const char* device, std::uint64_t count,
                 const failure& why = {failure_code::task_failed, "The driver refuses."}) {
    for (std::uint64_t i = 1; i <= count; ++i) simulated(device).fail_launch(i, why);
  }
  /// A buffer that a function has filled with zeros, so that no launch is needed for that.
  [[nodiscard]] buffer<float> zeros() {
    buffer<float> made{rt, tile_size};
    rt.submit([](buffer_view<float> to) { std::ranges::fill(to, 0.0F); }, writes(made)).get();
    return made;
  }
  [[nodiscard]] std::uint64_t kernels_on(std::size_t number) {
    return rt.report().devices[number].kernels;
  }
  [[nodiscard]] task_options on(const char* name) { return {.on = rt.device(name)}; }

  runtime rt;
};

/// Tiles of a triangle, each of which others are added to; in small whole numbers.
class triangle : public resilience {
 protected:
  static constexpr std::size_t tiles = 5;

  triangle() {
    for (std::size_t i = 0; i < tiles * tiles; ++i) {
      data.emplace_back(rt, std::array{tile_size}, static_cast<float>(i % 7));
    }
  }

  void submit_all() {
    for (std::size_t k = 0; k < tiles; ++k) {
      rt.submit(add_one, updates(at(k, k)));
      for (std::size_t i = k + 1; i < tiles; ++i) {
        rt.submit(add_other, reads(at(k, k)), updates(at(i, k)));
        for (std::size_t j = k + 1; j <= i; ++j) {
          rt.submit(add_other, reads(at(j, k)), updates(at(i, j)));
        }
      }
    }
  }
  [[nodiscard]] const buffer<float>& at(std::size_t row, std::size_t column) const {
    return data[row * tiles + column];
  }
  [[nodiscard]] std::vector<float> firsts() const {
    std::vector<float> all;
    for (const buffer<float>& each : data) all.push_back(each.to_vector().front());
    return all;
  }

  std::vector<buffer<float>> data;
};

}  // namespace hocket
