// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

namespace hocket::detail {

/// Where each key of a list comes first, however long the list is. Key is a pointer.
template <class Key>
class first_places {
 public:
  static constexpr std::size_t none = SIZE_MAX;

  /// The next of the list is this key.
  void push_back(Key key) {
    if (size_ < max_few) {
      few_.push_back(key);
    } else {
      if (many_.empty()) {
        for (std::size_t i = 0; i < size_; ++i) many_.try_emplace(few_[i], i);
      }
      many_.try_emplace(key, size_);
    }
    ++size_;
  }

  [[nodiscard]] std::size_t find(Key key) const {
    if (size_ <= max_few) {
      const auto at = std::ranges::find(few_, key);
      return at == few_.end() ? none : static_cast<std::size_t>(at - few_.begin());
    }
    const auto at = many_.find(key);
    return at == many_.end() ? none : at->second;
  }

 private:
  /// To look through so many costs less than to hash.
  static constexpr std::size_t max_few = 16;

  boost::container::small_vector<Key, 4> few_;
  boost::unordered_flat_map<Key, std::size_t> many_;
  std::size_t size_ = 0;
};

}  // namespace hocket::detail
