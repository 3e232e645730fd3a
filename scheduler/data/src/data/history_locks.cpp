// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/history_locks.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace hocket::detail {

namespace {

/// A run that enters more uses reserves the buffers: others would spin for as long as it takes.
constexpr std::size_t max_entered_locked = 64;

/// Locks all of them, or returns the first that is reserved, with none locked.
in_place_history* lock_all(std::span<in_place_history* const> ordered) {
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    ordered[i]->guard().lock();
    if (!ordered[i]->is_reserved()) [[likely]]
      continue;
    for (std::size_t held = 0; held <= i; ++held) ordered[held]->guard().unlock();
    return ordered[i];
  }
  return nullptr;
}

}  // namespace

ordered_locks::ordered_locks(std::span<in_place_history* const> ordered) : held_(ordered) {
  while (in_place_history* const reserved = lock_all(held_)) reserved->wait_while_reserved();
}

ordered_locks::~ordered_locks() {
  for (in_place_history* const order : held_) order->guard().unlock();
}

/// One of them is taken by another thread, or because a buffer is used twice, or is reserved.
struct order_locks::ordered_set {
  explicit ordered_set(std::span<const in_place_use> uses)
      : histories(each_once(uses)), locks(histories) {}

  static std::vector<in_place_history*> each_once(std::span<const in_place_use> uses) {
    std::vector<in_place_history*> all;
    for (const in_place_use& use : uses) all.push_back(use.data->order());
    std::sort(all.begin(), all.end(), std::less<>());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  std::vector<in_place_history*> histories;
  ordered_locks locks;
};

void order_locks::drop_set::operator()(ordered_set* all) const noexcept { delete all; }

void order_locks::lock_in_order() { in_order_.reset(new ordered_set(uses_)); }

run_registration::run_registration(std::span<in_place_history* const> ordered, std::size_t uses)
    : ordered_(ordered) {
  if (uses <= max_entered_locked) {
    few_.emplace(ordered);
    return;
  }
  many_ = std::unique_lock(ordered.front()->large_registration());
  mark_all(true);
}

run_registration::~run_registration() {
  if (!few_) mark_all(false);
}

void run_registration::mark_all(bool reserved) noexcept {
  for (in_place_history* const order : ordered_) {
    const std::scoped_lock lock(order->guard());
    order->set_reserved(reserved);
  }
}

}  // namespace hocket::detail
