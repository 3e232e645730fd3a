// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/host_task.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include <hocket/execution/item_note.hpp>
#include <hocket/execution/own_items.hpp>
#include <hocket/scheduler/detail/wait_checker.hpp>

#include "tasks/caught.hpp"
#include "tasks/helping_scope.hpp"
#include "tasks/timer_queue.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

namespace {

/// How many tasks one posted item runs one after the other before it lets others have the worker.
constexpr int max_in_a_row = 64;

/// True if the inner one is the other, or a scope in it.
bool is_in(const host_context* inner, const host_context& outer) noexcept {
  while (inner != nullptr && inner != &outer) inner = inner->around();
  return inner != nullptr;
}

}  // namespace

failure host_context::refusal_of(const task_state& task) const {
  return {failure_code::cancelled,
          task.name() + " did not start, because its runtime was stopped."};
}

std::size_t host_context::next_arena() noexcept {
  return arenas_used_.fetch_add(1) % where_->arenas();
}

std::size_t host_context::arena_of(const device_handle&, const std::string& name) {
  throw usage_error(name + " is to run on a device, and there is none.");
}

inline void ready_list::add(host_task& ready) noexcept {
  (last_ == nullptr ? first_ : last_->next_ready_) = &ready;
  last_ = &ready;
}

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

void ready_list::let_all_leave() noexcept {
  while (abandoned_ != nullptr) {
    const host_task_ptr over(abandoned_, false);
    abandoned_ = std::exchange(over->next_ready_, nullptr);
    over->abandoned(*this);
  }
}

void ready_list::settle() noexcept {
  do {
    let_leave();
    while (host_task_ptr task = take()) {
      if (task->runs_at_once()) {
        // Not run_if_ready(): that would settle what is left before it, one level deeper each time.
        task->run(task->claim_.claim(false), host_task::runner::anybody, *this);
      } else {
        host_task::post(std::move(task));
      }
    }
  } while (abandoned_ != nullptr);
}

/// Mostly there is one.
inline host_task_ptr ready_list::settle_but_one(const host_task& after) noexcept {
  if (abandoned_ != nullptr || first_ != last_) return settle_all_but_one(after);
  // What is straight waits for a worker, or finds out there why it is not to be run.
  const bool runs_at_once = !first_->is_inline_ && first_->runs_at_once();
  if (runs_at_once || !first_->may_run_after(after)) return settle_all_but_one(after);
  host_task_ptr sole(first_, false);
  first_ = last_ = nullptr;
  sole->prefer(after.arena());
  return sole;
}

host_task_ptr ready_list::settle_all_but_one(const host_task& after) noexcept {
  host_task_ptr kept;
  do {
    let_leave();
    while (host_task_ptr task = take()) {
      if (task->runs_at_once()) {
        task->run(task->claim_.claim(false), host_task::runner::anybody, *this);
      } else if (!kept && task->may_run_after(after)) {
        kept = std::move(task);
        kept->prefer(after.arena());
      } else {
        host_task::post(std::move(task));
      }
    }
  } while (abandoned_ != nullptr);
  return kept;
}

host_task::host_task(host_context* context, host_options&& options)
    : task_state(context, std::move(options.label)),
      arena_(options.arena ? static_cast<std::uint32_t>(*options.arena)
                           : (options.via != nullptr ? 0 : no_arena)),
      priority_(static_cast<std::int8_t>(std::clamp(options.priority, -1, 1))),
      cheap_(options.cheap),
      gathers_(options.gathers),
      has_arena_(options.arena.has_value() || options.via != nullptr),
      at_home_(options.via == nullptr),
      only_counts_(context != nullptr && context->only_counts()),
      has_nodes_(context != nullptr && context->has_nodes()),
      where_(options.via),
      stop_(std::move(options.stop)) {
  if (where_ == nullptr && context != nullptr) where_ = &context->where();
}

host_task::host_task(host_context* context, host_options&& options, void* edges,
                     std::span<const task_state_ptr> after)
    : host_task(context, std::move(options)) {
  auto* const first = static_cast<host_edge*>(edges);
  for (std::size_t i = 0; i < after.size(); ++i) {
    ::new (first + i) host_edge();
    first[i].source = after[i];
  }
  expect({first, after.size()}, 0);
}

void host_task::expect(std::span<host_edge> edges, std::uint32_t more) noexcept {
  edges_ = edges.data();
  edge_count_ = static_cast<std::uint32_t>(edges.size());
  has_more_ = more > 0;
  for (host_edge& e : edges) e.owner = this;
  // start() stands for one more predecessor, unless nothing is left to do for it after the first
  // that it attaches to.
  const std::uint32_t start = edge_count_ + 2 * more < 2 && !is_known_early_ ? 0 : 1;
  claim_.expect(edge_count_ + more + start);
}

bool host_task::attach_edge(host_edge& e) noexcept {
  return e.waits_for == host_edge::kind::end ? e.source->attach(e) : e.source->attach_to_place(e);
}

void host_task::start() noexcept {
  if (context() != nullptr) {
    context()->started(*this);
    if (context()->is_scope()) context()->offer(*this);
  }
  const bool waits = edge_count_ > 0 || has_more_ || is_known_early_;
  if (!waits && !runs_at_once()) return post(host_task_ptr(this));
  intrusive_ptr_add_ref(this);
  if (waits) return attach_edges();
  ready_list next;
  next.add(*this);
}

void host_task::attach_edges() noexcept {
  // Looked at before: a task that is attached to all and waits for nothing else may be running.
  const bool arrives = edge_count_ > 1 || has_more_ || is_known_early_;
  ready_list next;
  for (host_edge& e : edges()) {
    if (attach_edge(e)) continue;
    follow(*e.source);
    arrive(is_failed_by(e, *e.source), next);
  }
  if (arrives) arrive(false, next);
}

/// Rings for a task at its deadline, and is called off when the task ends before.
class host_task::own_timer final : public timer, public continuation {
 public:
  explicit own_timer(host_task& task) : task_(&task), board_(task.context()->timers()) {}

  void ring() noexcept override { task_->time_out(); }

  void run(task_state&, ready_list&) noexcept override {
    const timer_ptr self(this, false);
    board_->call_off(*this);
  }

 private:
  host_task_ptr task_;
  timer_queue* board_;
};

void host_task::start(time_stamp deadline) {
  if (deadline <= context()->where().now()) {
    context()->started(*this);
    time_out();
    return;
  }
  const timer_ptr rings = attach_timer();
  start();
  set_timer(rings, deadline);
}

boost::intrusive_ptr<timer> host_task::attach_timer() {
  const boost::intrusive_ptr<own_timer> made(new own_timer(*this));
  // The task keeps it until it ends.
  intrusive_ptr_add_ref(made.get());
  (void)task_state::attach(*made);
  return made;
}

void host_task::set_timer(const timer_ptr& rings, time_stamp time) {
  context()->timers()->set(rings, time);
}

/// Before the arrival that makes the task ready: what follows one task goes where that has run.
inline void host_task::follow(const task_state& source) noexcept {
  if (!has_nodes_ || has_arena_ || edge_count_ != 1) return;
  if (source.home() == home()) prefer(source.arena());
}

void host_task::start_after_ended() noexcept {
  ready_list next;
  edges_->run(*edges_->source, next);
}

inline void host_task::arrive_here(bool failed, ready_list& next) noexcept {
  // Before: after it, the last arrival may have ended the task, and it may be gone.
  const bool has_more = has_more_;
  switch (claim_.arrive(failed)) {
    case claim::arrival::not_last:
      break;
    case claim::arrival::last_but_one:
      if (has_more) one_is_left(next);
      break;
    case claim::arrival::made_ready:
      next.add(*this);
      break;
    case claim::arrival::found_claimed:
      next.add_abandoned(*this);
      break;
  }
}

inline bool host_task::is_failed_by(const host_edge& e, const task_state& from) noexcept {
  if (!e.fails_with(from)) [[likely]]
    return false;
  // Relaxed: see has_failed_before().
  if (e.waits_for == host_edge::kind::end) {
    has_failed_before_.store(true, std::memory_order_relaxed);
  }
  return true;
}

void host_edge::run(task_state& from, ready_list& next) noexcept {
  owner->follow(from);
  owner->arrive_here(owner->is_failed_by(*this, from), next);
}

task_state* host_edge::follower() const noexcept { return owner; }

void host_task::arrive(bool failed, ready_list& next) noexcept { arrive_here(failed, next); }

task_status host_task::status() const noexcept {
  if (done()) return task_status::done;
  if (claim_.is_claimed()) return task_status::running;
  return claim_.waits() ? task_status::pending : task_status::ready;
}

void host_task::request_cancel() noexcept {
  if (!give_up({failure_code::cancelled, name() + " was cancelled before it started."})) {
    request_stop();
  }
}

void host_task::time_out() noexcept {
  if (give_up({failure_code::timed_out, name() + " did not begin within its time."})) return;
  late_ = true;
  request_stop();
}

bool host_task::give_up(failure why) noexcept {
  bool waited = false;
  const claim::claimed how = claim_.claim(true, waited);
  if (how == claim::claimed::refused) return false;
  drop_sources(how);
  // Those that wait for it may be looked at.
  wait_checker* const waits = context() == nullptr ? nullptr : context()->waits();
  if (waited && waits != nullptr) waits->let_readers_leave();
  ready_list next;
  discard();
  settle(std::move(why));
  given_up(waited, next);
  announce(next);
  return true;
}

void host_task::tell_awaited(wait_visitor& to) {
  if (!claim_.enter()) return;
  to.is_read(*this);
  for (const host_edge& e : edges()) to.follow(*e.source);
}

bool host_task::help(helping& by) noexcept {
  if (help_in_place(by)) return true;
  if (by.depth == 0 || by.visits == 0) return false;
  --by.visits;
  if (!claim_.enter()) return false;
  --by.depth;
  bool ran = false;
  for (const host_edge& e : edges()) {
    if (by.visits == 0) break;
    if (!e.source->done() && e.source->help(by)) ran = true;
  }
  ++by.depth;
  if (claim_.leave()) drop_sources();
  return help_in_place(by) || ran;
}

/// Runs the task if it is ready and may run here. Where its item is the newest of this worker's,
/// that goes too: a recursion would leave one behind in every call.
bool host_task::help_in_place(helping& by) noexcept {
  const bool has_item = take_own_item(this);
  const host_task_ptr item(has_item ? this : nullptr, false);
  // What is to run in one arena only may run here if its item is this worker's.
  if ((has_arena_ && !has_item) || !claim_and_run(by.next)) return false;
  if (!has_item) note_own_item_passed_over();
  return true;
}

bool host_task::help_one_of(const host_context& scope) noexcept {
  const auto accepts = [](void* what, const void* of) {
    const auto& task = *static_cast<host_task*>(what);
    // The context of a task that has ended may be gone, unless it runs on this worker's executor.
    if (task.is_claimed()) return true;
    return task.at_home_ && is_in(task.context(), *static_cast<const host_context*>(of));
  };
  const host_task_ptr item(static_cast<host_task*>(take_own_item_if(accepts, &scope)), false);
  if (item == nullptr) return false;
  // If another thread has claimed it, only the item goes.
  helping by;
  (void)item->claim_and_run(by.next);
  return true;
}

void host_task::drop_items_passed_over() noexcept {
  const auto is_over = [](void* what, const void*) {
    return static_cast<host_task*>(what)->is_claimed();
  };
  while (void* const over = take_passed_over_item(is_over)) {
    intrusive_ptr_release(static_cast<host_task*>(over));
  }
}

bool host_task::claim_and_run(ready_list& next) noexcept {
  const claim::claimed how = claim_.claim(false);
  if (how == claim::claimed::refused) return false;
  // The function may take long: others are not to wait for it.
  next.settle();
  run(how, runner::anybody, next);
  return true;
}

/// What run() does for a worker, where nothing is in its way and nobody is to be told but those who
/// wait. Returns false, and has done nothing, if it is otherwise.
inline bool host_task::run_plainly(ready_list& next) noexcept {
  if (!at_home_ || !only_counts_ || !claim_.claim_untouched()) return false;
  if (stop_.stop_requested() || context()->is_stopping()) {
    run(claim::claimed::alone, runner::worker, next);
    return true;
  }
  if (edge_count_ != 0) drop_edges();
  try {
    execute();
  } catch (...) {
    end(explain_failure(), next);
    return true;
  }
  end_well(next);
  return true;
}

inline bool host_task::run_simply(ready_list& next) noexcept {
  return is_inline_ ? run_inline(next) : run_plainly(next);
}

namespace {

/// While it lives, a thread that took the task up while it waited is in the task.
class task_in_hand {
 public:
  explicit task_in_hand(task_state& task)
      : helps_(home_of(task), home_of(task) != nullptr && home_of(task)->where().inside()),
        note_(item_note::kind::task, &task) {}

 private:
  [[nodiscard]] static host_context* home_of(const task_state& task) noexcept {
    return task.context() == nullptr ? nullptr : &task.context()->home();
  }

  helping_scope helps_;
  item_note note_;
};

}  // namespace

void host_task::run(claim::claimed how, runner by, ready_list& next) noexcept {
  // The caller drops what may be the last reference, and the result with it.
  if (how == claim::claimed::refused) return make_owed_call();
  failure why = refusal();
  // What the predecessors hold goes before the function runs, or a long chain would keep it all.
  drop_sources(how);
  if (!why) why = attempt(by);
  if (by == runner::worker) return end(std::move(why), next);
  // What the function holds may be the last owner of its runtime.
  const task_in_hand here(*this);
  end(std::move(why), next);
}

void host_task::end(failure why, ready_list& next) noexcept {
  discard();
  finish(std::move(why), next);
}

failure host_task::refusal() {
  if (claim_.poisoned()) {
    if (failure why = failure_of_predecessors()) return why;
  }
  if (stop_.stop_requested()) {
    return {failure_code::cancelled, name() + " was cancelled before it started."};
  }
  if (context() != nullptr && context()->is_stopping()) {
    return context()->refusal_of(*this);
  }
  return {};
}

failure host_task::failure_of_predecessors() {
  failure first;
  for (const host_edge& e : edges()) {
    if (!e.source->error()) continue;
    if (!first) {
      first = gathers_ ? same_failure(*e.source) : downfall(*e.source);
    } else if (!same_root(*e.source)) {
      // One failure of several is passed on; a thread that looks at that one has not overlooked the
      // others.
      e.source->look();
    }
  }
  return first;
}

bool host_task::runs_in_a_waiter(const host_context& context) noexcept {
  const auto is_it = [&](const item_note& note) {
    return note.of() == item_note::kind::context && note.what() == &context;
  };
  const item_note* each = item_note::innermost();
  while (each != nullptr && !is_it(*each)) each = each->outer();
  return each != nullptr;
}

failure host_task::attempt(runner by) noexcept {
  host_context* const home = context();
  if (home == nullptr || !home->traces()) return call(by);
  const std::int64_t begin = home->where().ticks();
  failure why = call(by);
  home->ran(label(), begin);
  return why;
}

bool host_task::execute_traced() noexcept {
  host_context& home = *context();
  const std::int64_t begin = home.where().ticks();
  failure why = call();
  home.ran(label(), begin);
  if (!why) return true;
  settle(std::move(why));
  return false;
}

failure host_task::call(runner by) noexcept {
  if (by == runner::worker) return call();
  const task_in_hand here(*this);
  return call();
}

failure host_task::call() noexcept {
  try {
    execute();
    return {};
  } catch (...) {
    return explain_failure();
  }
}

failure host_task::explain_failure() noexcept {
  failure why = caught(name(), stop_requested());
  const bool was_told = why.code() == failure_code::cancelled;
  if (was_told && (late_ || (context() != nullptr && context()->is_late()))) {
    return {failure_code::timed_out, name() + " did not end within its time.", why.thrown()};
  }
  return why;
}

void host_task::drop_sources() noexcept {
  for (host_edge& e : edges()) e.source.reset();
}

void host_task::post(host_task_ptr task) noexcept {
  try {
    std::size_t arena = task->arena();
    if (arena == no_arena) {
      arena = task->context()->arena_for_host_tasks();
      task->prefer(static_cast<std::uint32_t>(arena));
    }
    // The item holds the reference.
    task->where_->post_bare(arena, task->priority_, {run_item, task.get()},
                            current_worker(task->where_->pool()));
    (void)task.detach();
  } catch (...) {
    // No memory for the item: the task runs here, because it has to end somewhere.
    run_posted(std::move(task), runner::anybody);
  }
}

void host_task::refuse_item(host_task& task) noexcept {
  const host_task_ptr own(&task, false);
  ready_list next;
  task.refuse(next);
}

void host_task::end_failed_item(host_task& task) noexcept {
  const host_task_ptr own(&task, false);
  ready_list next;
  task.discard();
  task.announce(next);
}

void host_task::tell_of_item(host_task& task, continuation* newest) noexcept {
  const host_task_ptr own(&task, false);
  host_context& context = *task.context();
  ready_list next;
  task.tell(newest, next);
  task.count_end(context, task.after_its_end(next));
  if (!next.empty()) run_posted(next.settle_but_one(task), runner::worker);
}

void host_task::run_item(void* counted) {
  host_task_ptr task(static_cast<host_task*>(counted), false);
  ready_list next;
  if (!task->run_simply(next)) {
    run_posted(std::move(task), runner::worker);
  } else if (!next.empty()) {
    run_posted(next.settle_but_one(*task), runner::worker);
  }
}

void host_task::run_posted(host_task_ptr task, runner by) noexcept {
  ready_list next;
  const item_note at(item_note::kind::chain, &task);
  for (int in_a_row = 0; task; ++in_a_row) {
    if (in_a_row == max_in_a_row) return post(std::move(task));
    if (by != runner::worker || !task->run_simply(next)) {
      task->run(task->claim_.claim(false), task->at_home_ ? by : runner::anybody, next);
    }
    if (next.empty()) return;
    host_task_ptr following = next.settle_but_one(*task);
    task.swap(following);
  }
}

}  // namespace hocket::detail
