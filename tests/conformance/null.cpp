// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/null.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "conformance.hpp"

namespace hocket::testing {

namespace {

std::vector<target> null_targets() {
  target made;
  made.name = "thread";
  made.make_backend = make_null_backend;
  made.make_executor = [] {
    return std::make_unique<tbb_executor>(std::make_shared<const host_topology>());
  };
  made.configuration = "devices=2,memory=16M";
  made.lose = [](device& d, const failure& why) { d.lose(why); };
  return {made, with_faults(made)};
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(null, conformance, ::testing::ValuesIn(null_targets()), target_name);

}  // namespace hocket::testing
