// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/host_task.hpp>

#include <algorithm>
#include <vector>

#include "caught.hpp"
#include "helping_scope.hpp"

namespace hocket::detail {

namespace {

/// How many tasks one posted item runs one after the other before it lets others have the worker.
constexpr int most_in_a_row = 64;

/// Whose tasks the calling thread runs while it waits, innermost last.
thread_local std::vector<const host_context*> helped_contexts;

}  // namespace

helping_scope::helping_scope(const host_context* context, bool is_worker)
    : outside_(context != nullptr && !is_worker) {
  if (outside_) helped_contexts.push_back(context);
}

helping_scope::~helping_scope() {
  if (outside_) helped_contexts.pop_back();
}

void follow_ups::add(host_task& ready) noexcept {
  (last_ == nullptr ? first_ : last_->next_ready_) = &ready;
  last_ = &ready;
}

host_task_ptr follow_ups::take() noexcept {
  host_task* const taken = first_;
  if (taken == nullptr) return {};
  first_ = std::exchange(taken->next_ready_, nullptr);
  if (first_ == nullptr) last_ = nullptr;
  return {taken, false};
}

void follow_ups::settle() noexcept {
  while (host_task_ptr task = take()) {
    if (task->runs_at_once()) {
      // Not run_if_ready(): that would settle what is left before it, one level deeper each time.
      task->run(task->claim_.claim(false), *this);
    } else {
      host_task::post(std::move(task));
    }
  }
}

host_task_ptr follow_ups::settle_but_one(const host_task& after) noexcept {
  host_task_ptr kept;
  while (host_task_ptr task = take()) {
    if (task->runs_at_once()) {
      task->run(task->claim_.claim(false), *this);
    } else if (!kept && task->may_run_after(after)) {
      kept = std::move(task);
    } else {
      host_task::post(std::move(task));
    }
  }
  return kept;
}

host_task::host_task(host_context* context, host_options&& options,
                     std::span<const completion_ptr> after)
    : completion(context, std::move(options.label)),
      // start() stands for one more predecessor, unless nothing is left to do for it after the
      // first that it attaches to.
      claim_(static_cast<std::uint32_t>(after.size() < 2 ? after.size() : after.size() + 1)),
      priority_(options.priority),
      cheap_(options.cheap),
      gathers_(options.gathers),
      has_arena_(options.arena.has_value() || options.via != nullptr),
      arena_(options.arena.value_or(0)),
      where_(options.via),
      stop_(std::move(options.stop)),
      edges_(after.size()) {
  if (where_ == nullptr && context != nullptr) where_ = &context->where();
  for (std::size_t i = 0; i < after.size(); ++i) {
    edges_[i].owner = this;
    edges_[i].source = after[i];
  }
}

void host_task::start() noexcept {
  if (context() != nullptr) context()->started();
  if (edges_.empty() && !runs_at_once()) return post(host_task_ptr(this));
  intrusive_ptr_add_ref(this);
  follow_ups next;
  if (edges_.empty()) next.add(*this);
  for (edge& e : edges_) {
    if (!e.source->attach(e)) arrive(static_cast<bool>(e.source->why()), next);
  }
  if (edges_.size() > 1) arrive(false, next);
}

void host_task::edge::run(completion& from, follow_ups& next) noexcept {
  owner->arrive(static_cast<bool>(from.why()), next);
}

void host_task::arrive(bool failed, follow_ups& next) noexcept {
  switch (claim_.arrive(failed)) {
    case claim::arrival::not_last:
      break;
    case claim::arrival::made_ready:
      next.add(*this);
      break;
    case claim::arrival::found_claimed:
      intrusive_ptr_release(this);
      break;
  }
}

task_status host_task::status() const noexcept {
  if (done()) return task_status::done;
  if (claim_.is_claimed()) return task_status::running;
  return claim_.waits() ? task_status::pending : task_status::ready;
}

void host_task::request_cancel() noexcept {
  const claim::claimed how = claim_.claim(true);
  if (how == claim::claimed::refused) {
    request_stop();
    return;
  }
  drop_sources(how);
  follow_ups next;
  end({failure_code::cancelled, name() + " was cancelled before it started."}, next);
}

bool host_task::help(helping& by) noexcept {
  if (run_if_ready(by.next)) return true;
  if (by.depth == 0 || by.visits == 0) return false;
  --by.visits;
  if (!claim_.enter()) return false;
  --by.depth;
  bool ran = false;
  for (const edge& e : edges_) {
    if (by.visits == 0) break;
    if (!e.source->done() && e.source->help(by)) ran = true;
  }
  ++by.depth;
  if (claim_.leave()) drop_sources();
  return run_if_ready(by.next) || ran;
}

bool host_task::run_if_ready(follow_ups& next) noexcept {
  const claim::claimed how = claim_.claim(false);
  if (how == claim::claimed::refused) return false;
  // The function may take long: others are not to wait for it.
  next.settle();
  run(how, next);
  return true;
}

void host_task::run(claim::claimed how, follow_ups& next) noexcept {
  if (how == claim::claimed::refused) return;
  failure why = refusal();
  // What the predecessors hold goes before the function runs, or a long chain would keep it all.
  drop_sources(how);
  if (!why) why = attempt();
  end(std::move(why), next);
}

void host_task::end(failure why, follow_ups& next) noexcept {
  discard();
  finish(std::move(why), next);
}

failure host_task::refusal() {
  if (claim_.doomed()) return failure_of_predecessors();
  if (stop_.stop_requested()) {
    return {failure_code::cancelled, name() + " was cancelled before it started."};
  }
  if (context() != nullptr && context()->stopping().stop_requested()) {
    return {failure_code::cancelled, name() + " did not start, because its runtime was stopped."};
  }
  return {};
}

failure host_task::failure_of_predecessors() {
  failure first;
  for (const edge& e : edges_) {
    if (!e.source->why()) continue;
    if (!first) {
      first = gathers_ ? same_failure(*e.source) : downfall(*e.source);
    } else if (!same_root(*e.source)) {
      // One failure of several is passed on; who looks at that one has not overlooked the others.
      e.source->look();
    }
  }
  return first;
}

bool host_task::runs_in_a_waiter(const host_context& context) noexcept {
  return std::find(helped_contexts.begin(), helped_contexts.end(), &context) !=
         helped_contexts.end();
}

failure host_task::attempt() noexcept {
  host_context* const home = context();
  if (home == nullptr || !home->traces()) return call();
  const time_stamp begin = home->where().now();
  failure why = call();
  home->ran(label(), begin);
  return why;
}

failure host_task::call() noexcept {
  const helping_scope scope(context(), context() != nullptr && context()->where().inside());
  try {
    execute();
    return {};
  } catch (...) {
    return caught(name(), stop_requested());
  }
}

void host_task::drop_sources(claim::claimed how) noexcept {
  if (how == claim::claimed::alone || claim_.leave()) drop_sources();
}

void host_task::drop_sources() noexcept {
  for (edge& e : edges_) e.source.reset();
}

bool host_task::runs_at_once() const noexcept {
  return cheap_ || where_ == nullptr || claim_.is_claimed() || claim_.doomed();
}

bool host_task::may_run_after(const host_task& other) const noexcept {
  return where_ == other.where_ && has_arena_ == other.has_arena_ && arena_ == other.arena_ &&
         priority_ >= other.priority_;
}

void host_task::post(host_task_ptr task) noexcept {
  try {
    const std::size_t arena =
        task->has_arena_ ? task->arena_ : task->context()->arena_for_host_tasks();
    if (task->where_->is_virtual()) {
      task->where_->post(arena, task->priority_, [task] { run_posted(task); });
      return;
    }
    // A pointer alone, which the item holds without memory of its own. An executor over threads
    // runs all items before it goes, while a virtual one may drop those of tasks that others ran.
    host_task* const counted = task.get();
    task->where_->post(arena, task->priority_,
                       [counted] { run_posted(host_task_ptr(counted, false)); });
    (void)task.detach();
  } catch (...) {
    // No memory for the item: the task runs here, because it has to end somewhere.
    run_posted(std::move(task));
  }
}

void host_task::run_posted(host_task_ptr task) noexcept {
  for (int in_a_row = 0; task; ++in_a_row) {
    if (in_a_row == most_in_a_row) {
      post(std::move(task));
      return;
    }
    follow_ups next;
    task->run(task->claim_.claim(false), next);
    task = next.settle_but_one(*task);
  }
}

}  // namespace hocket::detail
