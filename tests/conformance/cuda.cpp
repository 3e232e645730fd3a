// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/environment.hpp>
#include <hocket/devices/cuda.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "conformance.hpp"

namespace hocket::testing {

namespace {

target on_driver() {
  target made;
  made.name = "whole";
  made.make_backend = make_cuda_backend;
  made.make_executor = [] {
    return std::make_unique<tbb_executor>(std::make_shared<const host_topology>());
  };
  made.configuration = "memory=16M";
  // The environment may name the files of the driver and of NVRTC.
  if (const auto more = environment_variable("HOCKET_BACKEND_CUDA")) {
    made.configuration += "," + *more;
  }
  made.lose = [](device& d, const failure& why) { d.lose(why); };
  return made;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(cuda, conformance,
                         ::testing::Values(on_driver(), with_faults(on_driver())), target_name);

}  // namespace hocket::testing
