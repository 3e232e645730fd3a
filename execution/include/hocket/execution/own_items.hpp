// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

namespace hocket {

// The bare items that the worker which runs the caller has posted itself, and that no thread has
// taken. All of these functions do nothing in a thread that is no such worker.

/// Takes the newest of them if it is called with this: the caller does what the item would have
/// done. Returns whether it was so.
[[nodiscard]] bool take_own_item(const void* what) noexcept;

/// Takes the newest of them if accepts(what, by) is true of what it is called with, and returns
/// that, a host_task for every bare item; else returns null. While accepts() runs no other thread
/// can get the item.
[[nodiscard]] void* take_own_item_if(bool (*accepts)(void* what, const void* by),
                                     const void* by) noexcept;

/// The caller is about to do something that may take long: makes the call that the worker owes, if
/// it owes one. See worker_record.
void make_owed_call() noexcept;

/// True if an item waits that the worker would take next, its own or another one.
[[nodiscard]] bool items_wait_for_caller() noexcept;

/// True if a worker that has run so many of them in a row is to do something else: an item of high
/// priority or one that was suspended waits, or what other threads have posted has waited long
/// enough.
[[nodiscard]] bool other_items_are_due(std::size_t in_a_row) noexcept;

/// What one of them is called with was dealt with, perhaps, and the item not taken.
void note_own_item_passed_over() noexcept;

/// take_own_item_if(), where there may be an item that was passed over.
[[nodiscard]] void* take_passed_over_item(bool (*is_over)(void* what, const void* by)) noexcept;

}  // namespace hocket
