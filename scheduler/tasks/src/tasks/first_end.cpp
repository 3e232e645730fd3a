// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/first_end.hpp>

#include <utility>

#include <hocket/scheduler/detail/ready_list.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>

#include "tasks/caught.hpp"

namespace hocket::detail {

end_race::end_race(std::size_t tasks) : nodes_(std::make_unique<node[]>(tasks)) {}

void end_race::begin(boost::intrusive_ptr<end_race> race, first_end_ptr told,
                     std::span<const task_state_ptr> sources) noexcept {
  told->race_ = race;
  if (host_context* const context = told->context()) context->started(*told);
  // Pairs with the acquire in claim().
  race->told_.store(told.detach(), std::memory_order_release);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    // Relaxed: nothing is read because of it.
    if (race->told_.load(std::memory_order_relaxed) == nullptr) return;
    node& own = race->nodes_[i];
    own.race = boost::intrusive_ptr<end_race>(race).detach();
    own.index = i;
    if (sources[i]->attach(own)) continue;
    ready_list next;
    own.run(*sources[i], next);
  }
}

first_end_ptr end_race::claim() noexcept {
  // Relaxed: only a task that another thread has claimed is not seen, and null stays null.
  if (told_.load(std::memory_order_relaxed) == nullptr) return nullptr;
  // Acquire: pairs with the release in begin().
  return {told_.exchange(nullptr, std::memory_order_acquire), false};
}

void end_race::node::run(task_state& source, ready_list& next) noexcept {
  // The reference that this node was attached with.
  const boost::intrusive_ptr<end_race> whole(race, false);
  first_end_ptr told = whole->claim();
  if (told == nullptr) return;
  told->keep(index, task_state_ptr(&source));
  next.add_ended(std::move(told));
}

void first_end::end_with(std::size_t index, task_state_ptr ended) noexcept {
  keep(index, std::move(ended));
  finish();
}

void first_end::request_cancel() noexcept {
  if (race_ != nullptr && race_->call_off() != nullptr) finish(cancelled(label_text()));
}

void first_end::release(task_state_ptr kept) noexcept {
  while (kept != nullptr) {
    auto* const before = dynamic_cast<first_end*>(kept.get());
    // One that other threads know is destroyed by the last of them.
    if (before == nullptr || !before->is_unshared()) return;
    kept = before->take_kept();
  }
}

std::size_t find_ended(std::span<const task_state_ptr> sources) {
  if (sources.empty()) {
    throw usage_error("when_any is given no futures, and none of them would ever be the first.");
  }
  std::size_t first = sources.size();
  for (std::size_t i = sources.size(); i-- > 0;) {
    if (sources[i] == nullptr) throw usage_error("A future without a task is given to when_any.");
    check_waitable(*sources[i]);
    if (sources[i]->done()) first = i;
  }
  return first;
}

host_context* context_among(std::span<const task_state_ptr> sources) noexcept {
  for (const task_state_ptr& source : sources) {
    // The runtime of one that has ended may be gone.
    if (!source->done() && source->context() != nullptr) return source->context();
  }
  return nullptr;
}

}  // namespace hocket::detail
