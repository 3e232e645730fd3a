// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>

namespace hocket::detail {

/// Any thread may use the streams of a device between enter() and leave(). One that lets go of the
/// device closes the gate and waits until no thread is inside.
class stream_gate {
 public:
  /// Returns false if the device is not there; the caller does not leave() then.
  [[nodiscard]] bool enter() noexcept {
    // Sequentially consistent, as in close(): one of the two sees what the other has written.
    inside_.fetch_add(1);
    if (!is_closed_.load()) return true;
    leave();
    return false;
  }
  void leave() noexcept { inside_.fetch_sub(1); }

  void close() noexcept { is_closed_.store(true); }
  void open() noexcept { is_closed_.store(false); }
  [[nodiscard]] bool is_empty() const noexcept { return inside_.load() == 0; }

 private:
  std::atomic<std::size_t> inside_{0};
  std::atomic<bool> is_closed_{false};
};

}  // namespace hocket::detail
