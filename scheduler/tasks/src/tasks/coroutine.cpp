// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/coroutine.hpp>

#include <cstdio>
#include <utility>

#include <hocket/execution/item_note.hpp>
#include <hocket/scheduler/detail/host_context.hpp>

#include "tasks/caught.hpp"
#include "tasks/helping_scope.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

namespace {

/// of: the state of the coroutine; null: it is of another kind.
void go_on(std::coroutine_handle<> handle, task_state* of) {
  if (of == nullptr) return handle.resume();
  // It may go on in a worker of another runtime, and be the last owner of its own.
  const host_context* const context = of->context();
  const bool is_worker =
      context != nullptr && (context->caller() != nullptr || context->where().inside());
  const helping_scope here(context, is_worker);
  const item_note at(item_note::kind::task, of);
  handle.resume();
}

}  // namespace

void awaiter_base::run(task_state& source, ready_list&) noexcept {
  host_context* const context = source.context();
  if (context == nullptr) return go_on(waiting_, follower());
  resume_in(*context, source.arena());
}

void awaiter_base::resume_in(host_context& context, std::uint32_t near) noexcept {
  const std::coroutine_handle<> handle = waiting_;
  task_state* const of = follower();
  try {
    const bool prefers = context.has_nodes() && near != no_arena;
    const std::size_t arena = prefers ? near : context.arena_for_host_tasks();
    context.where().post(arena, 0, [handle, of] { go_on(handle, of); });
  } catch (...) {
    // No memory for the item: the coroutine goes on here, because it has to go on somewhere.
    go_on(handle, of);
  }
}

void coroutine_state::belong_to(host_context* context) noexcept {
  if (this->context() != nullptr || context == nullptr) return;
  // Not to a scope: a coroutine may wait for the end of one.
  set_context(context->home());
  context->home().started(*this);
}

coroutine_state::~coroutine_state() {
  if (context() != nullptr || !outcome().failed_itself() || outcome().is_seen()) return;
  // As a runtime that ends does with what it has kept.
  std::fprintf(stderr, "hocket: unhandled failure: %s\n", error().message().c_str());
}

void coroutine_state::end(failure why) noexcept {
  // A coroutine that was suspended belongs to the runtime of the task it waited for, or other
  // threads may read that it belongs to none.
  if (why && !was_suspended_ && why.code() != failure_code::cancelled) belong_to_first_home();
  finish(std::move(why));
}

const host_context* coroutine_state::home_of(const task_state& ended) noexcept {
  if (const host_context* const home = ended.home()) return home;
  // The task may be a coroutine that never had to wait itself.
  const auto* const other = dynamic_cast<const coroutine_state*>(&ended);
  return other == nullptr ? nullptr : other->first_home_;
}

void coroutine_state::belong_to_first_home() noexcept {
  const live_runtimes::user uses(first_home_);
  // In a forked child threads of the parent may hold locks of the runtime.
  if (!uses || (*uses).where().is_forked()) return;
  belong_to(&*uses);
}

bool coroutine_state::suspends_for(task_state& awaited) noexcept {
  const bool belonged = context() != nullptr;
  if (!belonged) belong_to(awaited.context());
  was_suspended_ = true;
  // Release: pairs with the acquire in tell_awaited(), which uses the task.
  awaited_.store(reinterpret_cast<std::uintptr_t>(&awaited), std::memory_order_release);
  return !belonged && context() != nullptr;
}

void coroutine_state::tell_awaited(wait_visitor& to) {
  std::uintptr_t seen = awaited_.load(std::memory_order_relaxed);
  do {
    if (seen == 0 || (seen & being_read) != 0) return;
    // Acquire: pairs with the release in suspends_for().
  } while (!awaited_.compare_exchange_weak(seen, seen | being_read, std::memory_order_acquire,
                                           std::memory_order_relaxed));
  to.follow_and_keep(reinterpret_cast<task_state*>(seen));  // NOLINT(performance-no-int-to-ptr)
  // Release: pairs with the acquire in goes_on(), after which the coroutine's reference may go.
  awaited_.store(seen, std::memory_order_release);
}

void coroutine_state::check_cancelled() const {
  if (cancelled_)
    throw hocket::error({failure_code::cancelled, name() + " was cancelled while it ran."});
}

failure coroutine_state::failed() const noexcept {
  try {
    throw;
  } catch (const hocket::error& e) {
    if (e.code() == failure_code::cancelled && cancelled_) return e.reason();
  } catch (...) {
    // Whatever it is: see below.
  }
  return explained([this] { return caught(name(), false); });
}

}  // namespace hocket::detail
