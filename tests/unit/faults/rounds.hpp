// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "../execution/machine.hpp"

namespace hocket::testing {

/// A device and a clock that plans are tried with.
struct fault_place {
  const char* name;
  const char* backend;
  const char* configuration;
  const char* device;
  clock_kind clock;
};

inline constexpr fault_place virtual_sim{"virtual_sim", "sim", "2,lanes=2", "Sim0",
                                         clock_kind::simulated};
inline constexpr fault_place fault_places[] = {
    virtual_sim,
    {"real_sim", "sim", "2", "Sim0", clock_kind::real},
    {"timed_sim", "sim", "2,launch=50us,latency=20us", "Sim0", clock_kind::real},
    {"null", "null", "devices=2", "Null0", clock_kind::real}};

inline void PrintTo(const fault_place& place, std::ostream* out) { *out << place.name; }

[[nodiscard]] inline runtime_options options_at(const fault_place& place, fault_plan plan) {
  return {.backends = {{place.backend, place.configuration}},
          .clock = place.clock,
          .topology = machine("numa:1 core:2 pu:1"),
          .faults = std::move(plan)};
}

inline const auto scale = elementwise("scale", [](auto a, auto& x) { x = a * x; });

/// A computation that makes a device allocate, compile, copy in, launch, wait and copy out at least
/// three times each. Content begins at the host, and each round changes it on the device and there.
[[nodiscard]] inline std::vector<float> run_rounds(runtime& rt, const std::string& device) {
  const device_handle on = rt.device(device);
  std::vector<buffer<float>> all;
  for (std::size_t i = 0; i < 3; ++i) {
    all.emplace_back(rt, std::array{1000 * (i + 1)}, static_cast<float>(i));
  }
  for (int round = 0; round < 3; ++round) {
    for (const buffer<float>& x : all) {
      rt.submit([](buffer_view<float> v) { v(0) += 1; }, updates(x));
      rt.submit({.on = on}, scale, 2.0F, updates(x));
    }
    rt.submit({.on = on}, ops::fill, 3.0F, writes(all[1].rows(5, 9)));
    // Of two lanes one waits for the other here.
    rt.submit({.on = on}, scale, 2.0F, updates(all[0]));
    rt.submit({.on = on}, scale, 2.0F, updates(all[1]));
    rt.submit({.on = on}, ops::add, reads(all[0]), reads(all[1].rows(0, 1000)),
              writes(all[2].rows(0, 1000)));
  }
  std::vector<float> result;
  for (const buffer<float>& x : all) {
    const std::vector<float> content = x.to_vector();
    result.insert(result.end(), content.begin(), content.end());
  }
  return result;
}

}  // namespace hocket::testing
