// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include <hocket/kernels/argument.hpp>

namespace hocket {

/// What a serial body gets: the calling thread.
class single_lane final : public lane_group {
 public:
  [[nodiscard]] std::size_t lanes() const noexcept override { return 1; }
  void for_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& piece) override {
    const std::size_t step = std::max<std::size_t>(grain, 1);
    for (std::size_t begin = 0; begin < count; begin += std::min(step, count - begin)) {
      piece(begin, begin + std::min(step, count - begin));
    }
  }
};

}  // namespace hocket
