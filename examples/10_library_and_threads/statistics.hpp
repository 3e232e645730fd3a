// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <memory>
#include <span>

/// A library that computes on all devices of the machine. Its interface does not mention them.
namespace statistics {

struct moments {
  double mean = 0;
  double variance = 0;
};

/// Any number of threads may use one object.
class [[gnu::visibility("default")]] calculator {
 public:
  calculator();
  ~calculator();

  /// Blocks until the moments are computed. Throws std::invalid_argument if there are no values.
  [[nodiscard]] moments moments_of(std::span<const float> values) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace statistics
