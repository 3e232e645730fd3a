// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// How makespans follow the number of devices: modelled on the virtual clock, and by devices that
// wait.

#include "subjects.hpp"

namespace hocket::bench {

namespace {

std::vector<comparison> comparisons_of(const settings& wanted) {
  std::vector<comparison> all = modelled_comparisons(wanted);
  for (comparison& each : split_comparisons(wanted)) all.push_back(std::move(each));
  for (comparison& each : timed_comparisons(wanted)) all.push_back(std::move(each));
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(
      argc, argv, "bench_scaling",
      "How makespans follow the number of devices, simulated and with timed waits.",
      hocket::bench::comparisons_of, hocket::bench::summary::none, hocket::bench::pictures_of);
}
