// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gmock/gmock.h>

#include <exception>
#include <stdexcept>
#include <string>

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

/// NUMA0 and Sim0, which has a memory of 64 KiB.
[[nodiscard]] inline runtime_options small_machine() {
  runtime_options options;
  options.devices = "NUMA0,Sim0";
  options.backends = {{"sim", "1,memory=64K"}};
  return options;
}

}  // namespace hocket::testing
