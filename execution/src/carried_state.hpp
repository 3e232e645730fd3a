// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace hocket {

class wait_listener;

/// What is kept for each thread and has to go with an item that is suspended: which exceptions are
/// being handled or are on their way, by the C++ library, the item's local pointer, the innermost
/// listener to its waits, and its number. One taken is put back once, in any thread.
class carried_state {
 public:
  /// Takes the calling thread's and leaves it with none.
  [[nodiscard]] static carried_state take() noexcept;
  void put_back() const noexcept;

 private:
  void* handled_ = nullptr;  // the innermost exception that is being handled
  unsigned on_the_way_ = 0;  // how many exceptions are
  void* local_ = nullptr;
  wait_listener* listener_ = nullptr;
  std::uint64_t number_ = 0;
};

}  // namespace hocket
