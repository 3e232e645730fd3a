// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gmock/gmock.h>

#include <exception>
#include <stdexcept>
#include <string>

#include <hocket/core/environment.hpp>
#include <hocket/hocket.hpp>

namespace hocket::testing {

/// What a call throws, which must be an E.
template <class E, class F>
[[nodiscard]] std::string message_of(F&& call) {
  try {
    call();
  } catch (const E& thrown) {
    return thrown.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << "throws something else: " << other.what();
    return {};
  }
  ADD_FAILURE() << "does not throw";
  return {};
}

template <class F>
[[nodiscard]] std::string refusal(F&& call) {
  return message_of<usage_error>(std::forward<F>(call));
}

/// True for a run of the tests where tasks with data need no placement.
[[nodiscard]] inline bool on_the_host_alone() {
  return environment_variable("HOCKET_TEST_HOST_ALONE").has_value();
}

/// NUMA0 and Sim0, which has a memory of 64 KiB; or NUMA0 alone.
[[nodiscard]] inline runtime_options small_machine() {
  runtime_options options;
  options.devices = on_the_host_alone() ? "NUMA0" : "NUMA0,Sim0";
  options.backends = {{"sim", "1,memory=64K"}};
  return options;
}

}  // namespace hocket::testing
