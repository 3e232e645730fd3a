// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket::detail {

/// Posts a task that another thread may cancel at any time, by a request and then an event of its
/// own, which is ignored if it comes before that of the task. unwanted() tells whether there is a
/// request, submit(is_unwanted) posts the task, cancel() posts that it is cancelled; it may be
/// called where the other thread's event comes too.
template <class Unwanted, class Submit, class Cancel>
void post_watched(const Unwanted& unwanted, const Submit& submit, const Cancel& cancel) {
  submit(unwanted());
  // The request may have come after the first look, and its event before that of the task.
  if (unwanted()) cancel();
}

}  // namespace hocket::detail
