// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/host_run.hpp"

#include <limits>
#include <new>
#include <utility>

#include <hocket/execution/item_note.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>

#include "graphs/participant.hpp"
#include "tasks/helping_scope.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

namespace {

/// True if a stop of its context can change what a run does once it has begun.
bool must_watch(const host_plan& plan) noexcept {
  return plan.size() > 1 || plan.listens() || plan.waits_outside();
}

}  // namespace

task_state_ptr host_run::start(host_context& context, std::shared_ptr<host_plan> plan,
                               host_options how, std::span<const task_state_ptr> after) {
  const boost::intrusive_ptr<host_run> made =
      make_task<host_run>(0, context, std::move(plan), std::move(how));
  if (!after.empty()) made->before_.find_source(after, *made);
  context.started(*made);  // from here on it has to end
  if (after.empty()) {
    made->begin_now(made->plan_->starts());
  } else {
    made->before_.attach(*made);
  }
  return made;
}

host_run::host_run(host_context& context, std::shared_ptr<host_plan> plan, host_options&& how)
    : task_state(&context, std::move(how.label)),
      plan_(std::move(plan)),
      workers_(*this, context.where(), how.priority),
      outcome_(context.trace() != nullptr),
      watches_(must_watch(*plan_)) {
  if (watches_) (void)context.stop().token();  // begin_now() must not throw
  state_ = plan_->state_for_run();
  if (plan_->listens()) stop_ = std::stop_source();
  stop_token_ = stop_.get_token();
}

host_run::~host_run() {
  if (plan_ != nullptr && state_ != nullptr) plan_->give_back(std::move(state_));
}

host_run::user::~user() {
  if (run_.users_.fetch_sub(1) != 1) return;
  if (!run_.is_over_) {
    run_.left_alone();
  } else if (!run_.is_released_.exchange(true)) {
    run_.release();
  }
}

void host_run::release() noexcept {
  outcome_.release();
  plan_->give_back(std::move(state_));
  plan_.reset();
}

void host_run::start_edge::find_source(std::span<const task_state_ptr> after, host_run& run) {
  // One task waits for all of them and knows how to tell of their failures.
  host_options how{.label = run.label(), .cheap = true};
  source_ = launch(
      run.context(), std::move(how), [] {}, after);
}

void host_run::start_edge::attach(host_run& run) noexcept {
  owner_ = &run;
  intrusive_ptr_add_ref(owner_);
  if (!source_->attach(*this)) begin(*source_);
}

void host_run::start_edge::begin(task_state& source) noexcept {
  const boost::intrusive_ptr<host_run> run(owner_, false);
  if (source.error()) {
    run->finish(run->task_state::outcome().repeat(source));
  } else {
    run->begin_now(run->plan_->starts());
  }
}

void host_run::begin_now(std::span<const std::uint32_t> starts,
                         failure_listener* listener) noexcept {
  if (plan_->size() == 0) return conclude();
  state_->starts = starts;
  listener_ = listener;
  if (watches_) watch_.emplace(context()->stop().token(), stop_watch{this});
  may_begin_ = true;
  if (!starts.empty()) workers_.send();
}

task_status host_run::status() const noexcept {
  if (done()) return task_status::done;
  return may_begin_ ? task_status::running : task_status::pending;
}

void host_run::request_cancel() noexcept {
  // Sequentially consistent: see calls_no_more().
  outcome_.cancel();
  stop_.request_stop();
}

bool host_run::work() noexcept {
  const user here(*this);
  const bool wanted = workers_.arrive() && !is_over_;
  const bool goes_on = wanted && take_part(functions_of_one_turn, true) >= functions_of_one_turn;
  const bool lacks_worker = workers_.leave([this] { return has_stock(); });
  return lacks_worker || (goes_on && !is_over_);
}

bool host_run::help(helping& by) noexcept {
  if (!may_begin_) return before_.source() != nullptr && before_.source()->help(by);
  const user here(*this);
  const bool joins = workers_.join() && !is_over_;
  // There is nothing for another worker to do.
  if (joins && plan_->size() == 1) workers_.take_back();
  const bool ran =
      joins && take_part(std::numeric_limits<std::size_t>::max(), workers_.is_worker()) > 0;
  if (workers_.leave([this] { return has_stock(); })) workers_.send_if_open();
  return ran;
}

void host_run::tell_awaited(wait_visitor& to) {
  if (!may_begin_ && before_.source() != nullptr) to.follow(*before_.source());
}

std::size_t host_run::take_part(std::size_t most, bool is_worker) noexcept {
  worker_slot* slot = nullptr;
  try {
    slot = &state_->take_slot();
  } catch (const std::bad_alloc&) {
    return 0;  // the worker with the slot of the beginning does the work
  }
  if (!state_->begun.exchange(true)) {
    slot->starts.assign({0, static_cast<std::uint32_t>(state_->starts.size())});
  }
  if (!watches_ && context()->stop().is_requested()) outcome_.cancel();
  const run_parts parts{context(), *plan_, *state_, outcome_, listener_, {stop_token_, this}};
  run_share done;
  {
    const helping_scope scope(context(), is_worker);
    slot->sit_down(*this);
    // Sequentially consistent: see calls_no_more(). Later loads read nothing older.
    (void)outcome_.is_cancelled();
    const item_note at(item_note::kind::run, slot);
    done = run_functions(parts, workers_, *slot, most);
    slot->stand_up();
  }
  const bool last = state_->count_ended(*slot) || done.last;
  state_->free_slot(*slot);
  if (last) conclude();
  return done.functions;
}

void host_run::be_over() noexcept {
  is_over_ = true;
  watch_.reset();
}

void host_run::conclude() noexcept {
  be_over();
  finish(outcome());
}

failure host_run::outcome() {
  failure why = outcome_.first_failure();
  if (!why && (outcome_.has_skipped() || !is_over_)) {
    const bool stopped = context()->stop().is_requested();
    if (stopped && context()->is_scope()) return context()->stop().refusal_of(*this);
    why = {failure_code::cancelled,
           name() + (stopped ? " did not end, because its runtime was stopped."
                             : " was cancelled before it ended.")};
  }
  return why;
}

}  // namespace hocket::detail
