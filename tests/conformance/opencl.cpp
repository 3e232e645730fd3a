// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/opencl.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "conformance.hpp"

namespace hocket::testing {

namespace {

target on_drivers(std::string name, std::string configuration) {
  target made;
  made.name = std::move(name);
  made.make_backend = make_opencl_backend;
  made.make_executor = [] {
    return std::make_unique<tbb_executor>(std::make_shared<const host_topology>());
  };
  made.configuration = std::move(configuration);
  made.lose = [](device& d, const failure& why) { d.lose(why); };
  return made;
}

std::vector<target> opencl_targets() {
  target imported = on_drivers("imported", "memory=16M");
  imported.host_memory = true;
  const target parts = on_drivers("parts", "memory=16M,import=no,sub-devices=2");
  return {on_drivers("whole", "memory=16M,import=no"), imported, parts, with_faults(imported),
          with_faults(parts)};
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(opencl, conformance, ::testing::ValuesIn(opencl_targets()), target_name);

}  // namespace hocket::testing
