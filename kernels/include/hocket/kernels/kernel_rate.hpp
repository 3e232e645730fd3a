// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hocket {

/// A kernel that computes at another rate than its device does in general.
struct kernel_rate {
  std::string kernel;    ///< its name
  double of_rate = 1.0;  ///< times flops_per_second

  friend bool operator==(const kernel_rate&, const kernel_rate&) = default;
};

/// The factor of a device's rate for the kernel that is called so; one for all others.
[[nodiscard]] inline double rate_of(std::span<const kernel_rate> all,
                                    std::string_view kernel) noexcept {
  for (const kernel_rate& each : all) {
    if (each.kernel == kernel) return each.of_rate;
  }
  return 1.0;
}

}  // namespace hocket
