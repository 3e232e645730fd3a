// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/pump.hpp>

namespace hocket {

/// The processor's own counter, where the operating system itself takes the time from it: then it
/// goes evenly, and alike on all cores. Reading it takes a third of what a clock takes.
class cycle_counter {
 public:
  /// begin: from when on scale() counts the time.
  explicit cycle_counter(pump::clock::time_point begin) noexcept;

  [[nodiscard]] bool usable() const noexcept { return usable_; }

  [[nodiscard]] std::int64_t read() const noexcept {
#if defined(__x86_64__)
    return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
    return 0;
#endif
  }

  /// For what was read so far.
  [[nodiscard]] tick_scale scale() const noexcept;

 private:
  struct moment {
    std::int64_t tick;
    time_stamp time;
  };
  [[nodiscard]] moment now() const noexcept;

  const pump::clock::time_point begin_;
  const bool usable_;
  const moment first_;
};

}  // namespace hocket
