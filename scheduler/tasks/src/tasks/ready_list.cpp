// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/ready_list.hpp>

#include <utility>

#include <hocket/scheduler/detail/first_end.hpp>
#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/task_runner.hpp>

namespace hocket::detail {

host_task_ptr ready_list::take() noexcept {
  host_task* const taken = first_;
  if (taken == nullptr) return {};
  first_ = std::exchange(taken->next_ready_, nullptr);
  if (first_ == nullptr) last_ = nullptr;
  return {taken, false};
}

void ready_list::add_abandoned(host_task& over) noexcept {
  over.next_ready_ = std::exchange(abandoned_, &over);
}

void ready_list::add_ended(first_end_ptr over) noexcept {
  first_end* const added = over.detach();
  added->next_ended_ =
      last_ended_ == nullptr ? added : std::exchange(last_ended_->next_ended_, added);
  last_ended_ = added;
}

first_end_ptr ready_list::take_ended() noexcept {
  first_end* const first = last_ended_->next_ended_;
  if (first == last_ended_) {
    last_ended_ = nullptr;
  } else {
    last_ended_->next_ended_ = first->next_ended_;
  }
  return {first, false};
}

void ready_list::let_all_leave() noexcept {
  while (has_unnotified()) {
    if (abandoned_ != nullptr) {
      const host_task_ptr over(abandoned_, false);
      abandoned_ = std::exchange(over->next_ready_, nullptr);
      over->abandoned(*this);
    } else {
      take_ended()->announce(*this);
    }
  }
}

void ready_list::settle() noexcept {
  do {
    let_leave();
    while (host_task_ptr task = take()) {
      if (runs_at_once(*task)) {
        task_runner::run_at_once(*task, *this);
      } else {
        task_runner::post(std::move(task));
      }
    }
  } while (has_unnotified());
}

host_task_ptr ready_list::settle_all_but_one(const host_task& after) noexcept {
  host_task_ptr kept;
  do {
    let_leave();
    while (host_task_ptr task = take()) {
      if (runs_at_once(*task)) {
        task_runner::run_at_once(*task, *this);
      } else if (!kept && task->place_.may_come_after(after.place_)) {
        kept = std::move(task);
        kept->place_.prefer(after.arena());
      } else {
        task_runner::post(std::move(task));
      }
    }
  } while (has_unnotified());
  return kept;
}

}  // namespace hocket::detail
