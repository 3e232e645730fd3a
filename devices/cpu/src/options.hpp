// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <hocket/core/duration.hpp>

namespace hocket::cpu {

/// What the configuration says; nothing where it says nothing.
struct options {
  std::optional<std::uint64_t> lanes;
  std::optional<std::uint64_t> memory;
  std::optional<double> flops;
  std::optional<double> bandwidth;
  std::optional<nanoseconds> launch;
  std::optional<std::uint64_t> depth;
};

[[nodiscard]] options parse(const std::string& configuration);

/// Single-precision operations per second of one core: its highest clock, as far as the system
/// tells it, two fused multiply-adds of the widest vectors in each cycle, half of which real
/// kernels see.
[[nodiscard]] double guessed_flops();

}  // namespace hocket::cpu
