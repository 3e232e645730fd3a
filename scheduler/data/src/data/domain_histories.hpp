// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <unordered_map>

#include "data/access_history.hpp"

namespace hocket::detail {

/// The access histories within a nested domain: one for each buffer that the domain is over, empty
/// when it opens, because everything before the domain is over by then. What there is to read, its
/// tasks ask the content of the buffers when they start. Those of different buffers may be used at
/// the same time.
template <class Buffer, class Task>
class domain_histories {
 public:
  /// Before the domain opens.
  void cover(Buffer buffer) { histories_.try_emplace(buffer); }

  /// Null if the domain is not over the buffer: its tasks have their place there as others have.
  [[nodiscard]] access_history<Task>* find(Buffer buffer) noexcept {
    const auto found = histories_.find(buffer);
    return found == histories_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<Buffer, access_history<Task>> histories_;
};

}  // namespace hocket::detail
