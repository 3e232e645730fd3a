// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include <hocket/devices/copy_slab.hpp>

namespace hocket::gpu {

/// The parts of one copy that functions of the host do: each copies a slab between an array of the
/// program and a pinned buffer, where its bytes lie together. Any thread.
class host_moves {
 public:
  /// One part. Its address is given to the driver: parts are added before the first is.
  struct part {
    host_moves* of = nullptr;
    copy_slab what;
    std::byte* array = nullptr;
    std::byte* buffer = nullptr;
    bool to_array = false;
  };

  void add(const copy_slab& what, std::byte* array, std::byte* buffer, bool to_array) {
    parts_.push_back({this, what, array, buffer, to_array});
  }
  [[nodiscard]] part* at(std::size_t i) { return &parts_[i]; }

  /// A function of the host: data is a part. Called by a thread of the driver.
  static void run(void* data);
  /// Waits for the part that runs; no later one touches memory. In a context that has failed no
  /// wait of the driver does that.
  void cancel();

 private:
  std::mutex guard_;
  bool is_cancelled_ = false;  // under the guard
  std::vector<part> parts_;
};

}  // namespace hocket::gpu
