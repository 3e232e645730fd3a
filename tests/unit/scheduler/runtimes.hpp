// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gmock/gmock.h>

#include <string>

#include <hocket/hocket.hpp>

#include "../execution/machine.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket::testing {

/// What a runtime may run its tasks on.
struct engine {
  const char* name;
  const char* machine;
  clock_kind clock;
};

inline constexpr engine engines[] = {
    {"virtual_clock", "numa:1 core:2 pu:1", clock_kind::simulated},
    {"one_worker", "numa:1 core:1 pu:1", clock_kind::real},
    {"two_workers", "numa:1 core:2 pu:1", clock_kind::real},
    {"two_nodes", "numa:2 core:1 pu:1", clock_kind::real},
};

inline void PrintTo(const engine& e, std::ostream* out) { *out << e.name; }

[[nodiscard]] inline runtime_options options_for(const engine& e) {
  runtime_options options;
  options.clock = e.clock;
  options.topology = machine(e.machine);
  return options;
}

/// A test that holds whatever the tasks run on.
class on_every_engine : public ::testing::TestWithParam<engine> {
 protected:
  [[nodiscard]] static bool on_virtual_clock() { return GetParam().clock != clock_kind::real; }

  runtime rt{options_for(GetParam())};
};

#define HOCKET_ON_EVERY_ENGINE(suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(, suite, ::testing::ValuesIn(::hocket::testing::engines),          \
                           [](const ::testing::TestParamInfo<::hocket::testing::engine>& i) { \
                             return std::string(i.param.name);                                \
                           })

/// A machine for tasks with data, and the way that they go.
struct machine_setting {
  const char* name;
  const char* devices = "NUMA0";
  const char* sim = "";
  clock_kind clock = clock_kind::real;
  data_path data_tasks = data_path::placed;
};

inline void PrintTo(const machine_setting& s, std::ostream* out) { *out << s.name; }

[[nodiscard]] inline runtime_options options_for(const machine_setting& s) {
  return {.devices = s.devices,
          .backends = {{"sim", s.sim}},
          .clock = s.clock,
          .data_tasks = s.data_tasks,
          .topology = machine("numa:1 core:2 pu:1")};
}

/// Time passes. In a task its worker has other work meanwhile.
inline void pass(runtime& rt, nanoseconds time) {
  std::shared_ptr<executor::gate> never;
  executor& where = rt.core()->where();
  EXPECT_FALSE(where.wait([&](auto gate) { never = std::move(gate); }, where.now() + time));
  never->open();
}

/// What a call throws, which must be an E.
template <class E, class F>
[[nodiscard]] E thrown_by(F&& call) {
  try {
    call();
  } catch (const E& thrown) {
    return thrown;
  }
  throw std::logic_error("The call does not throw.");
}

}  // namespace hocket::testing
