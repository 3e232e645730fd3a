// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/runtime.hpp>

namespace hocket::detail {

/// True if the runtime may run tasks again to make lost content again.
[[nodiscard]] bool may_repeat_tasks(submitter& to);

/// The host keeps the content of the region, which is about to be checked, where tasks may be run
/// again: a repetition of the task that wrote it would give content that nothing has checked.
template <class T, std::size_t R>
void keep_result(submitter& to, const region<T, R>& of, std::int64_t priority) {
  if (!may_repeat_tasks(to)) return;
  // A function is called once, so that its content is restored from its bytes.
  task_options how;
  how.label = "keep a result";
  how.priority = priority;
  to.submit(
      how, [](buffer_view<T, R>) {}, updates(of));
}

}  // namespace hocket::detail
