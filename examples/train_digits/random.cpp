// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "random.hpp"

namespace train {

double counter_random::normal(std::uint64_t index) const noexcept {
  constexpr std::int64_t parts = 12;
  constexpr std::int64_t twice_mean = parts * 0xffff;
  std::int64_t sum = 0;
  for (std::uint64_t draw = 0; draw < 3; ++draw) {
    for (std::uint64_t rest = word(3 * index + draw), part = 0; part < 4; ++part, rest >>= 16) {
      sum += static_cast<std::int64_t>(rest & 0xffff);
    }
  }
  // Twelve integers of 0 .. 65535 have a variance of 65536^2 - 1 together.
  return static_cast<double>(2 * sum - twice_mean) / (2.0 * 65536.0);
}

}  // namespace train
