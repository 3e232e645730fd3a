// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any text is a configuration of the simulated devices or is refused; no file is opened but one
// that "machine=" names.

#include <hocket/devices/sim.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  // Files of the machine that fuzzes are no part of the input.
  constexpr std::string_view machine = "machine=";
  if (text.starts_with(machine) && text.find_first_of("/.") != text.npos) return 0;
  const std::string_view object = text.starts_with(machine) ? "" : "configuration of sim";
  const auto made =
      fuzz::read_or_refuse(object, [&] { return hocket::parse_sim_configuration(text); });
  if (!made) return 0;
  constexpr std::size_t most_devices = 16'384;
  fuzz::require(made->devices.size() <= most_devices, "devices are limited");
  for (const hocket::sim_options& each : made->devices) {
    fuzz::require(each.lanes >= 1 && each.flops_per_second.value_or(1) > 0, "a device can compute");
  }
  return 0;
}
