// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace hocket::seeded {

/// From here on the actions of the scheduler are counted and mixed into a hash. Only a build with
/// HOCKET_SEEDED_BUGS shows them.
void watch_actions();

/// Tasks and blocks are called by the order in which they appear, from here on.
void forget_names();

struct watched_actions {
  std::uint64_t count = 0;
  std::uint64_t hash = 0;
};
[[nodiscard]] watched_actions actions_so_far();

}  // namespace hocket::seeded
