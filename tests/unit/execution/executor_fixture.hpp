// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>

#include <hocket/execution/executor.hpp>

#include "machine.hpp"

namespace hocket::testing {

using gate = std::shared_ptr<executor::gate>;

inline std::shared_ptr<const host_topology> this_machine() {
  return std::make_shared<const host_topology>();
}
inline std::shared_ptr<const host_topology> one_worker() { return machine("numa:1 core:1 pu:1"); }

/// Runs f as an item of arena 0 and waits for it.
inline void run_inside(executor& ex, const std::function<void()>& f) {
  ex.wait([&](const gate& g) {
    ex.post(0, 0, [&f, g] {
      f();
      g->open();
    });
  });
}

}  // namespace hocket::testing
