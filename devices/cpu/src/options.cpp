// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "options.hpp"

#include <fstream>

#include <hocket/core/error.hpp>
#include <hocket/devices/configuration.hpp>

namespace hocket::cpu {

namespace {

constexpr std::uint64_t max_lanes = 4096;
constexpr std::uint64_t max_depth = 1024;

double vector_lanes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 16;
  if (__builtin_cpu_supports("avx2")) return 8;
#endif
  return 4;
}

double clock_rate() {
  double kilohertz = 0;
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  constexpr double usual = 2.5e9;  // virtual machines do not tell
  return file >> kilohertz && kilohertz > 0 ? kilohertz * 1e3 : usual;
}

std::optional<double> positive(std::optional<double> rate, const char* key) {
  if (rate.value_or(1) == 0) {
    throw usage_error("\"" + std::string(key) +
                      "\" in the configuration of cpu is \"0\"; it must be more than nothing.");
  }
  return rate;
}

}  // namespace

options parse(const std::string& configuration) {
  configuration_reader reader("cpu", configuration);
  options made;
  made.lanes = reader.number("lanes", 1, max_lanes);
  made.memory = reader.bytes("memory");
  made.flops = positive(reader.rate("flops"), "flops");
  made.bandwidth = positive(reader.rate("bandwidth"), "bandwidth");
  made.launch = reader.duration("launch");
  made.depth = reader.number("depth", 1, max_depth);
  reader.finish();
  return made;
}

double guessed_flops() {
  constexpr double each_cycle = 2 * 2;  // two multiply-adds
  return clock_rate() * vector_lanes() * each_cycle / 2;
}

}  // namespace hocket::cpu
