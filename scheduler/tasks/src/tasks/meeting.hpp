// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include <hocket/execution/inbox.hpp>

namespace hocket::detail {

/// Two parties that come once each, in any order: the one who comes second goes on, and sees what
/// the other has done before it came.
template <class Atomics = real_atomics>
class basic_meeting {
 public:
  enum class party : std::uint8_t { one = 1, other = 2 };

  /// Returns true for the party that comes second.
  [[nodiscard]] bool come(party who) noexcept {
    // Release and acquire pair with one another, in the two calls.
    return here_.fetch_or(static_cast<std::uint8_t>(who), std::memory_order_acq_rel) != 0;
  }

 private:
  typename Atomics::template atomic<std::uint8_t> here_{0};
};

using meeting = basic_meeting<>;

}  // namespace hocket::detail
