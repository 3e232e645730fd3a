// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/coroutine.hpp>

#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include <hocket/execution/item_note.hpp>
#include <hocket/scheduler/detail/host_context.hpp>

#include "tasks/caught.hpp"
#include "tasks/helping_scope.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

namespace {

/// Circles of more coroutines are not noticed.
constexpr std::size_t max_followed = 1000;

/// Beside the address of the task that a coroutine is suspended for: it may be a coroutine.
constexpr std::uintptr_t leads_on = 2;

/// Quickly, whether the task may be a coroutine: those have a label.
bool may_be_coroutine(const task_state& task) noexcept { return !task.label().empty(); }

usage_error circle_of(const std::string& name, std::size_t coroutines) {
  if (coroutines == 1) return usage_error(name + " awaits itself, and so for ever.");
  return usage_error(name + " awaits one that waits for it, over " + std::to_string(coroutines) +
                     " coroutines, and so for ever.");
}

/// of: the state of the coroutine; null: it is of another kind.
void go_on(std::coroutine_handle<> handle, task_state* of) {
  if (of == nullptr) return handle.resume();
  // The coroutine may go on in a worker of another runtime, and be the last owner of its own.
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

bool coroutine_state::suspends_for(task_state& awaited) {
  const bool belonged = context() != nullptr;
  if (!belonged) belong_to(awaited.context());
  const bool may_lead_on = may_be_coroutine(awaited);
  const std::uintptr_t next =
      reinterpret_cast<std::uintptr_t>(&awaited) | (may_lead_on ? leads_on : 0);
  // Before it was suspended for the first time no other coroutine can have its future.
  if (std::exchange(was_suspended_, true) && may_lead_on) {
    // Sequentially consistent: of coroutines that close a circle at the same time one finds it.
    awaited_ = next;
    if (const std::size_t in_circle = coroutines_back_from(awaited)) {
      goes_on();
      throw circle_of(name(), in_circle);
    }
  } else {
    // Release: pairs with the acquire in suspended_for(), which uses the task.
    awaited_.store(next, std::memory_order_release);
  }
  return !belonged && context() != nullptr;
}

/// How many coroutines there are in the circle of this one; 0 if that does not wait for itself.
std::size_t coroutine_state::coroutines_back_from(task_state& awaited) {
  if (&awaited == this) return 1;
  auto* next = dynamic_cast<coroutine_state*>(&awaited);
  task_state_ptr kept;
  for (std::size_t passed = 2; next != nullptr && passed <= max_followed; ++passed) {
    const std::uintptr_t seen = next->awaited_;
    if ((seen & leads_on) == 0) return 0;
    kept = next->suspended_for();
    if (kept.get() == this) return passed;
    next = dynamic_cast<coroutine_state*>(kept.get());
  }
  return 0;
}

task_state_ptr coroutine_state::suspended_for() noexcept {
  std::uintptr_t seen = awaited_;
  for (;;) {
    if (seen == 0) return nullptr;
    if ((seen & being_read) == 0) {
      if (awaited_.compare_exchange_weak(seen, seen | being_read)) break;
      continue;
    }
    std::this_thread::yield();  // another reader needs only a moment
    seen = awaited_;
  }
  const std::uintptr_t address = seen & ~leads_on;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  task_state_ptr kept(reinterpret_cast<task_state*>(address));
  // Release: pairs with the acquire in goes_on(), after which the coroutine's reference may go.
  awaited_.store(seen, std::memory_order_release);
  return kept;
}

void coroutine_state::tell_awaited(wait_visitor& to) {
  if (task_state_ptr next = suspended_for()) to.follow_and_keep(std::move(next));
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
