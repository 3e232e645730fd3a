// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "recorded_task.hpp"

namespace hocket::detail {

std::string_view recorded_task::not_waitable() const noexcept {
  return "is part of a recording and runs only when the graph does; it cannot be waited for or "
         "continued from before.";
}

void recorded_task_maker::open_block() {
  auto* const fresh = new recorded_task::block;
  close_block();
  block_ = fresh;
  made_ = 0;
}

void recorded_task_maker::close_block() noexcept {
  if (block_ != nullptr) block_->give_back(recorded_task::tasks_of_block - made_ + 1);
}

}  // namespace hocket::detail
