// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/execution/own_items.hpp>

#include "node_queue.hpp"

namespace hocket {

namespace {

/// Null if the calling thread is no worker.
const item_context* context_of_worker() noexcept {
  const item_context* const here = current_item();
  return here != nullptr && here->place != nullptr ? here : nullptr;
}

}  // namespace

bool take_own_item(const void* what) noexcept {
  const item_context* const here = context_of_worker();
  executor::bare_item newest;
  // Its address is enough, so that it may be stolen meanwhile.
  if (here == nullptr || !here->place->items.look_at_newest(newest) || newest.what != what) {
    return false;
  }
  return here->place->items.take(newest);
}

void* take_own_item_if(bool (*accepts)(void* what, const void* by), const void* by) noexcept {
  const item_context* const here = context_of_worker();
  return here == nullptr ? nullptr : here->queue->take_newest_if(*here->place, accepts, by);
}

void make_owed_call() noexcept {
  const item_context* const here = context_of_worker();
  if (here != nullptr && here->place->owes_call) here->queue->call_without_items(*here->place);
}

bool other_items_are_due(std::size_t in_a_row) noexcept {
  const item_context* const here = context_of_worker();
  return here != nullptr && here->queue->others_are_due(in_a_row);
}

void note_own_item_passed_over() noexcept {
  if (const item_context* const here = context_of_worker()) ++here->place->passed_over;
}

void* take_passed_over_item(bool (*is_over)(void* what, const void* by)) noexcept {
  const item_context* const here = context_of_worker();
  if (here == nullptr || here->place->passed_over == 0) return nullptr;
  void* const what = here->queue->take_newest_if(*here->place, is_over, nullptr);
  if (what != nullptr) --here->place->passed_over;
  return what;
}

}  // namespace hocket
