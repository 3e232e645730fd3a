// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

namespace hocket {

// A worker's own items are the bare items that it has posted itself and that no thread has taken.
// In a thread that is no worker these functions do nothing.

/// Takes the newest of the caller's own items if that is called with `what`: the caller then does
/// what the item would have done. Returns whether the item was taken.
[[nodiscard]] bool take_own_item(const void* what) noexcept;

/// Takes the newest of the caller's own items if accepts(what, by) is true, where `what` is the
/// argument of the item: a host_task for every bare item. Returns `what`, or null. While accepts()
/// runs no other thread can get the item.
[[nodiscard]] void* take_own_item_if(bool (*accepts)(void* what, const void* by),
                                     const void* by) noexcept;

/// Called by a worker that is about to do something that may take long: makes the call that the
/// worker owes, if it owes one. See worker_record.
void make_owed_call() noexcept;

/// True if a worker that has run so many of its own items in a row is to do something else: an item
/// of high priority or a suspended item waits, or items of other threads have waited long enough.
[[nodiscard]] bool other_items_are_due(std::size_t in_a_row) noexcept;

/// Notes that a task was run whose item is perhaps still among the caller's own items.
void note_own_item_passed_over() noexcept;

/// take_own_item_if(), where there may be an item that was passed over.
[[nodiscard]] void* take_passed_over_item(bool (*is_over)(void* what, const void* by)) noexcept;

}  // namespace hocket
