// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/recorded_function.hpp>

#include <algorithm>

namespace hocket::detail {

recorded_functions::~recorded_functions() {
  for (recorded_function* each : to_destroy_) {
    if (each != nullptr) each->~recorded_function();
  }
}

void recorded_functions::open_chunk(std::size_t least) {
  // Each twice as large as the last one, up to what most systems cut from memory they have.
  constexpr std::size_t first = 1024;
  constexpr std::size_t max_doublings = 6;
  const std::size_t size = std::max(least, first << std::min(chunks_.size(), max_doublings));
  chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  free_ = reinterpret_cast<std::uintptr_t>(chunks_.back().get());
  end_ = free_ + size;
}

void recorded_functions::expect_one() { to_destroy_.push_back(nullptr); }

void recorded_functions::take_back(const recorded_function& last) noexcept {
  if (to_destroy_.empty() || to_destroy_.back() != &last) return;
  last.~recorded_function();
  to_destroy_.pop_back();
}

}  // namespace hocket::detail
