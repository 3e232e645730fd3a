// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_task.hpp"

#include <memory>

#include "data/in_place_history.hpp"
#include "data/in_place_runtime.hpp"
#include "data/tail_call.hpp"
#include "tasks/caught.hpp"

namespace hocket::detail {

in_place_task::~in_place_task() {
  if (has_uses_) std::ranges::destroy(tail().uses());
  if (tail().has_rare()) tail().destroy_rare();
}

std::size_t in_place_task::held_bytes() const noexcept {
  return task_state::held_bytes() + (tail().has_rare() ? tail().rare().function_bytes : 0);
}

std::string_view in_place_task::label_text() const noexcept {
  return label().empty() ? std::string_view(kernel_->name) : label().text();
}

bool in_place_task::cannot_run() {
  return before().count().poisoned() &&
         (!before().asks_when_poisoned() || before().has_failed_before() ||
          unusable_input(accesses(), label_text()));
}

void in_place_task::request_cancel() noexcept {
  failure why(failure_code::cancelled, name() + " was cancelled.");
  if (control_ != nullptr) return control_->cancel(std::move(why));
  (void)task_runner::give_up(*this, std::move(why));
}

void in_place_task::time_out() noexcept {
  control_->end_now({failure_code::timed_out, name() + " did not end within its time."});
}

void in_place_task::end_before_body(failure why) noexcept {
  ready_list next;
  outcome().settle(std::move(why));
  ended_early(next);
  next.let_leave();
  announce(next);
}

/// Of one that has ended well.
inline void in_place_task::commit_uses() noexcept {
  for (in_place_use& use : tail().uses()) {
    use.data->order()->commit(use);
    std::destroy_at(&use);
  }
  has_uses_ = false;
}

void in_place_task::discard() noexcept {
  if (control_ != nullptr) control_->stop_watching();
  if (tail().has_rare()) tail().release_rare();
  drop_kernel();
}

/// The orders of buffers keep tasks that have ended: a task must not keep a buffer by the functions
/// of its kernel.
inline void in_place_task::drop_kernel() noexcept {
  if (kernel_ != nullptr && kernel_->keeps_captures) [[unlikely]]
    kernel_.reset();
}

void in_place_task::end(failure why, ready_list& next) noexcept {
  if (control_ == nullptr || !control_->has_timeout() || control_->may_notify_end()) {
    return in_place_node::end(std::move(why), next);
  }
  discard();
  abandoned(next);
}

void in_place_task::end_well(ready_list& next) noexcept {
  if (control_ != nullptr) return in_place_node::end_well(next);
  if (tail().has_rare()) tail().release_rare();
  drop_kernel();
  if (counts_.uses > 0) {
    commit_uses();
    leave_committed(next);
    next.let_leave();
  }
  announce(next);
}

void in_place_task::destroy_all() noexcept {
  if (!is_spent_) return in_place_node::destroy_all();
  // If it is not to be destroyed so, the destructor does it.
  is_spent_ = false;
  kernel_.reset();
  leave_nothing();
  destroy();
}

void in_place_task::leave_place(ready_list& next) noexcept {
  in_place_node::leave_place(next);
  // The orders of buffers keep tasks that have ended: those must not keep the buffers.
  if (has_uses_) std::ranges::destroy(tail().uses());
  has_uses_ = false;
  if (control_ != nullptr) control_->leave(next);
  if (outlives_its_end_) home_.let_close();
}

void in_place_task::given_up(bool waited, ready_list& next) noexcept {
  if (waited && !outlives_its_end_) {
    outlives_its_end_ = true;
    home_.keep_open();
  }
  const bool is_throttled = control_ != nullptr && control_->is_throttled();
  // The caller uses the throttle once others may have seen the last task of the runtime end.
  if (is_throttled) home_.keep_open();
  // A buffer that no handle or other task refers to cannot be read any more: its memory is given
  // back before the task retires. Not of a throttled task, where another thread may look
  // at what it reads.
  if (waited && !is_throttled) {
    for (in_place_use& use : tail().uses()) {
      if (use.data->references() == 1) use.data.reset();
    }
  }
  in_place_node::given_up(waited, next);
}

void in_place_task::one_is_left(ready_list& next) noexcept {
  // One that is late has an arrival that is no edge's, too.
  if (control_->is_throttled()) control_->ask_throttle(next);
}

bool in_place_task::may_name_cause() noexcept {
  return control_ == nullptr || control_->may_name_cause();
}

failure in_place_task::explain_failure() noexcept {
  return explained([this] {
    const bool has_function = tail().has_rare() && tail().rare().has_function;
    return failure_of_call(has_function ? std::string(label_text()) : kernel_->name, name());
  });
}

[[gnu::always_inline]] inline void in_place_task::execute_here() {
  tail_call(home_, *kernel_, tail(), *this).run();
  if (tail().has_rare()) keep_value();
}

void in_place_task::keep_value() noexcept {
  const rare_arguments& rare = tail().rare();
  if (kernel_->result) {
    outcome().set_value(rare.value);
  } else if (rare.box != nullptr) {
    outcome().set_value(rare.box->value());
  }
}

void in_place_task::execute() {
  if (control_ != nullptr) control_->begin();
  execute_here();
}

bool in_place_task::run_inline(ready_list& next) noexcept {
  if (!before().count().claim_untouched()) return false;
  if (context()->stop().is_requested()) [[unlikely]] {
    task_runner::refuse(*this, next);
    return true;
  }
  before().drop();
  try {
    execute_here();
  } catch (...) {
    end(explain_failure(), next);
    return true;
  }
  if (tail().has_rare()) {
    tail().release_rare();
  } else {
    is_spent_ = !has_far_edges();
  }
  if (counts_.uses > 0) {
    commit_uses();
    leave_committed(next);
    next.let_leave();
  }
  // It goes away when it has heard of the last end, not before.
  host_context& context = *this->context();
  continuation* const newest = followers().close_as_pushed();
  if (newest != nullptr) run_all(newest, *this, next);
  count_end(context, after_end::next_task);
  return true;
}

}  // namespace hocket::detail
