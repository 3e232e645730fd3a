// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>

#include <hocket/core/ids.hpp>

namespace hocket {

/// How far one stream has come. Commands of a stream are numbered from one, in order; `completed`
/// is the number of the last one that has ended. It fails only when its device's epoch ends.
class timeline {
 public:
  explicit timeline(stream_id stream) noexcept : stream_(stream) {}
  timeline(const timeline&) = delete;
  timeline& operator=(const timeline&) = delete;

  [[nodiscard]] stream_id stream() const noexcept { return stream_; }
  [[nodiscard]] std::uint64_t completed() const noexcept {
    // Pairs with the release in advance(): who sees a value sees the command's effects.
    return completed_.load(std::memory_order_acquire);
  }

  /// Called by the owner of the stream, in order.
  void advance(std::uint64_t value) noexcept {
    // Pairs with the acquire in completed().
    completed_.store(value, std::memory_order_release);
  }

 private:
  stream_id stream_;
  alignas(64) std::atomic<std::uint64_t> completed_{0};
};

/// A point on a timeline; 16 bytes, a plain value. The empty timepoint is always done.
struct timepoint {
  const timeline* on = nullptr;
  std::uint64_t value = 0;

  [[nodiscard]] bool done() const noexcept { return on == nullptr || on->completed() >= value; }
  friend bool operator==(timepoint, timepoint) noexcept = default;
};
static_assert(sizeof(timepoint) == 16);

/// A timepoint as the planner knows it: by the number of the stream, without an address.
struct point {
  stream_id stream;
  std::uint64_t value = 0;

  [[nodiscard]] bool valid() const noexcept { return stream.valid(); }
  friend constexpr auto operator<=>(point, point) noexcept = default;
};

}  // namespace hocket
