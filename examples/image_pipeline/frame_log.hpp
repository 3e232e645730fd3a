// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages.hpp"

namespace image_pipeline {

/// Of the pixels of a result and of its levels. Never zero.
using frame_hash = std::uint64_t;
[[nodiscard]] frame_hash hash_of(hocket::buffer_view<const pixel, 2> image,
                                 hocket::buffer_view<const std::uint32_t> counts);

/// Of the same frame by calls of one function after the other.
[[nodiscard]] frame_hash serial_hash(std::uint64_t frame, std::size_t rows, std::size_t columns);

/// What the first and the last stage of each frame write down, from any thread.
class frame_log {
 public:
  explicit frame_log(std::size_t frames) : hashes_(frames) {}

  void begin_frame() noexcept;
  void end_frame(std::uint64_t frame, frame_hash hash) noexcept;

  [[nodiscard]] std::size_t finished() const noexcept { return finished_; }

  /// How many frames were begun and not finished at one time, at most.
  [[nodiscard]] std::size_t most_in_flight() const noexcept { return most_in_flight_; }

  /// Of all frames, when no task writes them any more; zero if a frame has not ended.
  [[nodiscard]] const std::vector<frame_hash>& hashes() const noexcept { return hashes_; }

 private:
  std::vector<frame_hash> hashes_;
  std::atomic<std::size_t> in_flight_{0}, most_in_flight_{0}, finished_{0};
};

}  // namespace image_pipeline
