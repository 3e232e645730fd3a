// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_history.hpp"

#include <mutex>
#include <new>

#include "data/host_storage.hpp"
#include "data/unusable_input.hpp"

namespace hocket::detail {

in_place_history::in_place_history(std::shared_ptr<host_storage> home, const box& whole,
                                   std::uint64_t bytes, buffer_argument&& argument,
                                   lent_memory_ptr lent)
    : home_(std::move(home)), bytes_(bytes), extent_(whole), argument_(std::move(argument)) {
  if (lent != nullptr) home_->lend(*this, std::move(lent));
}

in_place_history::~in_place_history() { home_->give_back(*this); }

void in_place_history::commit_written(const in_place_use& use) noexcept {
  const std::scoped_lock lock(guard_);
  try {
    content_.write(extent_, use.where(), {});
  } catch (const std::bad_alloc&) {
    // The region stays unwritten: a task that reads it fails, and never sees incomplete content.
  }
  // Relaxed: see is_sound().
  is_sound_.store(content_.is_sound(), std::memory_order_relaxed);
}

void in_place_history::poison(const box& region, const failure& why) noexcept {
  const std::scoped_lock lock(guard_);
  try {
    content_.poison(extent_, region, {}, why);
  } catch (const std::bad_alloc&) {
    content_.poison_all(why);
  }
  // Relaxed: see is_sound().
  is_sound_.store(false, std::memory_order_relaxed);
}

failure in_place_history::unusable_input(const in_place_use& use, std::string_view reader) {
  const std::scoped_lock lock(guard_);
  return detail::unusable_input(content_, use.where(), use.mode, reader, use.data->label());
}

std::mutex& in_place_history::large_registration() const noexcept {
  return home_->large_registration();
}

void in_place_history::obtain(std::string_view label) {
  if (address() == nullptr) home_->obtain(*this, label);
}

failure unusable_input(std::span<const in_place_use> uses, std::string_view reader) {
  for (const in_place_use& use : uses) {
    if (!reads_content(use.mode) || use.empty()) continue;
    in_place_history& data = *use.data->order();
    if (data.is_sound()) continue;
    if (failure why = data.unusable_input(use, reader)) return why;
  }
  return {};
}

}  // namespace hocket::detail
