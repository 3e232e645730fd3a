// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include <fmt/format.h>

namespace train {

/// A hash (FNV-1a, word by word) of the bits of numbers, in their order.
class bit_hash {
 public:
  template <class Number>
  void add(std::span<const Number> values) noexcept {
    static_assert(sizeof(Number) == sizeof(std::uint32_t));
    constexpr std::uint64_t fnv_prime = 0x100000001b3U;
    for (const Number value : values) {
      hash_ = (hash_ ^ std::bit_cast<std::uint32_t>(value)) * fnv_prime;
    }
  }

  /// Sixteen hexadecimal digits.
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace train
