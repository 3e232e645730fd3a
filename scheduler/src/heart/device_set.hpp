// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hocket/core/ids.hpp>

namespace hocket::heart {

/// Some of a machine's devices, a bit for each.
class device_set {
 public:
  explicit device_set(std::size_t devices) : words_((devices + bits - 1) / bits, 0) {}

  void insert(device_id device) {
    words_[device.value / bits] |= std::uint64_t{1} << (device.value % bits);
    empty_ = false;
  }
  [[nodiscard]] bool empty() const noexcept { return empty_; }

  void clear() {
    for (std::uint64_t& word : words_) word = 0;
    empty_ = true;
  }

  /// Calls visit(device) for each, in order. The set must not change meanwhile.
  template <class Visit>
  void each(const Visit& visit) const {
    if (empty_) return;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        visit(device_id{i * bits + static_cast<std::size_t>(std::countr_zero(left))});
      }
    }
  }

 private:
  static constexpr std::size_t bits = 64;
  std::vector<std::uint64_t> words_;
  bool empty_ = true;
};

}  // namespace hocket::heart
