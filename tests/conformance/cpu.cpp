// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/cpu.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "conformance.hpp"

namespace hocket::testing {

namespace {

std::vector<target> cpu_targets() {
  target real;
  real.name = "real";
  real.make_backend = make_cpu_backend;
  real.make_executor = [] {
    return std::make_unique<tbb_executor>(std::make_shared<const host_topology>());
  };
  real.configuration = "lanes=3,memory=16M";
  target modelled = real;
  modelled.name = "virtual";
  modelled.make_executor = [] {
    return std::make_unique<seeded_executor>(seeded_executor_options{.seed = 1, .workers = {2, 3}});
  };
  modelled.configuration = "memory=16M";
  modelled.modelled = true;
  return {real, modelled, with_faults(real)};
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(cpu, conformance, ::testing::ValuesIn(cpu_targets()), target_name);

}  // namespace hocket::testing
