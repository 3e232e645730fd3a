// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/data_runtime.hpp"

namespace hocket::detail {

namespace {

std::uint64_t next_runtime_number() noexcept {
  static std::atomic<std::uint64_t> made{0};
  return made.fetch_add(1) + 1;
}

// How often a stack that holds a view looks whether a task came to stand behind it.
constexpr nanoseconds time_between_checks = std::chrono::milliseconds(50);

}  // namespace

data_runtime::data_runtime() noexcept : number_(next_runtime_number()) {}

void data_runtime::wait_until(const std::function<bool()>& reached,
                              const std::function<void()>& check) {
  executor& executing = where();
  // On the virtual clock time would pass.
  const bool checks = check != nullptr && !executing.is_virtual();
  while (!ends_.holds(reached)) {
    std::shared_ptr<executor::gate> own;
    const auto arm = [&](const std::shared_ptr<executor::gate>& gate) {
      own = gate;
      ends_.await(gate, reached);
    };
    const time_stamp until = checks ? executing.now() + time_between_checks : time_stamp::max();
    if (executing.wait(arm, until)) continue;
    ends_.leave(own);
    check();
  }
}

}  // namespace hocket::detail
