// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/coroutine.hpp>

#include <hocket/scheduler/detail/host_context.hpp>

namespace hocket::detail {

void awaiter_base::run(completion& source, follow_ups&) noexcept {
  host_context* const context = source.context();
  if (context == nullptr) {
    waiting_.resume();
    return;
  }
  const std::coroutine_handle<> handle = waiting_;
  try {
    const std::uint32_t near = context->has_nodes() ? source.arena() : no_arena;
    const std::size_t arena = near == no_arena ? context->arena_for_host_tasks() : near;
    context->where().post(arena, 0, [handle] { handle.resume(); });
  } catch (...) {
    // No memory for the item: the coroutine goes on here, because it has to go on somewhere.
    handle.resume();
  }
}

void coroutine_state::belong_to(host_context* context) noexcept {
  if (this->context() != nullptr || context == nullptr) return;
  // Not to a scope: a coroutine may wait for the end of one.
  set_context(context->home());
  context->home().started(*this);
}

void coroutine_state::check_cancelled() const {
  if (cancelled_) throw error({failure_code::cancelled, name() + " was cancelled while it ran."});
}

failure coroutine_state::failed() const noexcept {
  try {
    throw;
  } catch (const error& e) {
    if (e.code() == failure_code::cancelled && cancelled_) return e.why();
    return {failure_code::task_failed, name() + " failed: " + e.what() + ".",
            std::current_exception()};
  } catch (const std::exception& e) {
    return {failure_code::task_failed, name() + " failed: " + e.what() + ".",
            std::current_exception()};
  } catch (...) {
    return {failure_code::task_failed,
            name() + " failed: it threw something that is no std::exception.",
            std::current_exception()};
  }
}

}  // namespace hocket::detail
