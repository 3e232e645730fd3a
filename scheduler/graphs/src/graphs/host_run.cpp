// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/host_run.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <hocket/execution/item_note.hpp>
#include <hocket/execution/pause_processor.hpp>

#include "graphs/chosen.hpp"
#include "tasks/caught.hpp"
#include "tasks/helping_scope.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// How many functions a worker runs before it lets other items have their turn.
constexpr std::size_t functions_of_one_turn = 4096;

/// How often a thread without work looks for some before it leaves: for some ten microseconds, less
/// than it takes to send for it again.
constexpr std::size_t looks_before_leaving = 200;

std::size_t all_workers(executor& where) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < where.arenas(); ++i) sum += where.workers(i);
  return std::min(sum, run_workers<>::most);
}

}  // namespace

task_state_ptr host_run::start(host_context& context, std::shared_ptr<host_plan> plan,
                               host_options how, std::span<const task_state_ptr> after) {
  const boost::intrusive_ptr<host_run> made(new host_run(context, std::move(plan), std::move(how)));
  made->begin(after);
  return made;
}

host_run::host_run(host_context& context, std::shared_ptr<host_plan> plan, host_options&& how)
    : task_state(&context, std::move(how.label)),
      where_(context.where()),
      priority_(how.priority),
      plan_(std::move(plan)),
      workers_(all_workers(where_)),
      // No other thread runs while a thread of the seeded executor spins.
      spins_(where_.is_virtual() ? 0 : looks_before_leaving) {
  (void)context.stopping();  // begin_now() must not throw
  state_ = plan_->state_for_run();
  if (context.traces()) mode_ = traced;
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
  poisoned_.reset();
  plan_->give_back(std::move(state_));
  plan_.reset();
}

void host_run::begin(std::span<const task_state_ptr> after) {
  context()->started(*this);
  if (after.empty()) return begin_now(plan_->starts());
  // One task waits for all of them and knows how to tell of their failures.
  host_options how{.label = label(), .cheap = true};
  before_.source = launch(
      context(), std::move(how), [] {}, after);
  before_.owner = this;
  intrusive_ptr_add_ref(this);
  if (!before_.source->attach(before_)) begin_after(*before_.source);
}

void host_run::edge::run(task_state& from, ready_list& /*next*/) noexcept {
  owner->begin_after(from);
}

void host_run::begin_after(task_state& source) noexcept {
  const boost::intrusive_ptr<host_run> self(this, false);
  if (source.error()) {
    finish(task_state::outcome().repeat(source));
  } else {
    begin_now(plan_->starts());
  }
}

void host_run::begin_now(std::span<const std::uint32_t> starts) noexcept {
  if (plan_->size() == 0) return conclude();
  state_->starts = starts;
  watch_.emplace(context()->stopping(), stop_watch{this});
  may_begin_ = true;
  if (!starts.empty()) send_for_worker();
}

task_status host_run::status() const noexcept {
  if (done()) return task_status::done;
  return may_begin_ ? task_status::running : task_status::pending;
}

void host_run::request_cancel() noexcept {
  // Sequentially consistent: see calls_no_more().
  mode_.fetch_or(cancelling);
  stop_.request_stop();
}

void host_run::send_for_worker() noexcept {
  workers_.send_for();
  const boost::intrusive_ptr<host_run> self(this);
  try {
    // Relaxed: any order of the arenas will do.
    const std::size_t arena =
        arenas_used_.fetch_add(1, std::memory_order_relaxed) % where_.arenas();
    where_.post(arena, priority_, [self] {
      if (self->work()) self->send_for_worker();
    });
  } catch (...) {
    // No memory for the item: this thread does the work itself.
    while (work()) workers_.send_for();
  }
}

/// The run may have ended, and the runtime with it.
void host_run::send_for_worker_if_open() noexcept {
  const live_runtimes::user uses(home());
  if (uses) send_for_worker();
}

void host_run::add_ready(std::uint32_t node) noexcept {
  state_->add_from_outside(node);
  if (workers_.wants_more_now()) send_for_worker_if_open();
}

/// Returns true if another worker is to be sent for.
bool host_run::work() noexcept {
  const user here(*this);
  const bool wanted = workers_.arrive() && !is_over_;
  const bool goes_on = wanted && take_part(functions_of_one_turn, true) >= functions_of_one_turn;
  const bool lacks_worker = workers_.leave([this] { return has_stock(); });
  return lacks_worker || (goes_on && !is_over_);
}

bool host_run::help(helping& by) noexcept {
  if (!may_begin_) return before_.source != nullptr && before_.source->help(by);
  const user here(*this);
  const bool ran = workers_.join() && !is_over_ &&
                   take_part(std::numeric_limits<std::size_t>::max(), where_.inside()) > 0;
  if (workers_.leave([this] { return has_stock(); })) send_for_worker_if_open();
  return ran;
}

void host_run::tell_awaited(wait_visitor& to) {
  if (!may_begin_ && before_.source != nullptr) to.follow(*before_.source);
}

bool host_run::has_stock() const noexcept { return !is_over_ && state_->has_stock(); }

/// What one thread does while it takes part. One class in one place, so that the compiler makes one
/// loop of it.
template <std::uint8_t Kind>
class host_run::participant {
 public:
  participant(host_run& run, worker_slot& slot)
      : run_(run), plan_(*run.plan_), state_(*run.state_), slot_(slot), call_(run.call()) {}

  [[nodiscard]] share work(std::size_t most) noexcept {
    share done;
    std::size_t looks = 0;
    for (std::uint32_t node = 0; done.functions < most;) {
      if (find(node)) {
        done.functions += run_from(node);
        looks = 0;
        continue;
      }
      done.last = run_.tell(slot_);
      if (done.last || state_.ended.load() == plan_.size() || looks++ == run_.spins_) break;
      pause_processor();
    }
    return done;
  }

 private:
  [[nodiscard]] bool find(std::uint32_t& node) noexcept {
    if (slot_.ready.take(node)) return true;
    std::uint32_t index = 0;
    std::uint32_t left = 0;
    if (!slot_.starts.take(index, left)) return steal(node);
    if (left != 0) run_.send_if_wanted();
    node = state_.starts[index];
    return true;
  }

  [[nodiscard]] bool steal(std::uint32_t& node) noexcept {
    for (worker_slot* other = state_.slots(); other != nullptr; other = other->next) {
      if (other == &slot_) continue;
      if (other->ready.occupied() && other->ready.steal(node)) return true;
      const auto [first, last] = other->starts.steal();
      if (first == last) continue;
      slot_.starts.assign({first + 1, last});
      node = state_.starts[first];
      return true;
    }
    return Kind == with_data && take_from_outside(node);
  }

  /// The first that was put there; the others go in stock.
  [[nodiscard]] bool take_from_outside(std::uint32_t& node) noexcept {
    if (!state_.has_from_outside()) return false;
    state_.take_from_outside([this](std::uint32_t each) { slot_.ready.push(each); });
    const bool got = slot_.ready.take(node);
    if (slot_.ready.occupied()) run_.send_if_wanted();
    return got;
  }

  /// Runs a function, then one that it made ready, and so on.
  [[nodiscard]] std::size_t run_from(std::uint32_t node) noexcept {
    for (std::size_t ran = 1;; ++ran) {
      std::uint32_t kept = none;
      const plan_choice* const choice = Kind == with_choices ? plan_.choice(node) : nullptr;
      if (choice != nullptr) {
        kept = release(visit(node, *choice));
      } else {
        call(node);
        was_away();
        ++slot_.ended;
        kept = release(plan_.next(node));
      }
      if (kept == none) return ran;
      node = kept;
      if (ran < functions_of_one_turn) continue;
      slot_.ready.push(node);
      return ran;
    }
  }

  /// Runs a function whose result counts and returns what comes next.
  [[nodiscard]] std::span<const host_plan::successor> visit(std::uint32_t node,
                                                            const plan_choice& choice) noexcept {
    if (choice.rule == choice_rule::always) {
      run_.keep_result(node, choice);
      was_away();
      ++slot_.ended;
      return plan_.next(node);
    }
    const std::size_t body = run_.choose_body(node, choice);
    was_away();
    if (body == chosen::nothing) {
      slot_.ended += 1 + choice.tasks;
      return plan_.next_after(node, choice);
    }
    // A body counts once in the end, as if it ran neither more often nor not at all. At once, and
    // before it runs: what was told of is never more than what has ended.
    const plan_body& next = choice.bodies[body];
    state_.ended.fetch_sub(next.tasks);
    // Relaxed: the thread that leads back here sees it because of what the body begins with.
    if (next.ends > 1) state_.waits_for[node].store(next.ends, std::memory_order_relaxed);
    return plan_.next(node, choice, body);
  }

  void was_away() noexcept {
    if (slot_.came_back()) run_.workers_.come_back();
  }

  void call(std::uint32_t node) noexcept {
    if constexpr (Kind == with_data) slot_.node = node;
    // Relaxed: what a predecessor has set is seen because of its arrival.
    if (run_.mode_.load(std::memory_order_relaxed) != 0) return run_.call_carefully(node);
    try {
      plan_.function(node).call(call_);
    } catch (...) {
      run_.fail(node);
    }
  }

  /// Puts those that became ready in stock, but for one.
  [[nodiscard]] std::uint32_t release(std::span<const host_plan::successor> successors) noexcept {
    std::uint32_t kept = none;
    bool stocked = false;
    for (const host_plan::successor next : successors) {
      if (next.waits_for_others() && !run_.arrive(next.node())) continue;
      if (kept == none) {
        kept = next.node();
      } else {
        slot_.ready.push(next.node());
        stocked = true;
      }
    }
    if (stocked) run_.send_if_wanted();
    return kept;
  }

  host_run& run_;
  const host_plan& plan_;
  run_state& state_;
  worker_slot& slot_;
  const plan_call call_;
};

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
  share done;
  {
    const helping_scope scope(context(), is_worker);
    slot->sit_down(*this);
    const item_note at(item_note::kind::run, slot);
    done = take_part(*slot, most);
    slot->stand_up();
  }
  const bool last = tell(*slot) || done.last;
  state_->free_slot(*slot);
  if (last) conclude();
  return done.functions;
}

host_run::share host_run::take_part(worker_slot& slot, std::size_t most) noexcept {
  if (plan_->has_choices()) return participant<with_choices>(*this, slot).work(most);
  if (plan_->waits_outside()) {
    // Sequentially consistent: see calls_no_more(). Later loads read nothing older.
    (void)mode_.load();
    return participant<with_data>(*this, slot).work(most);
  }
  return participant<plain>(*this, slot).work(most);
}

bool host_run::passes_over(std::uint32_t node) noexcept {
  // Acquire: pairs with note_failure(), for the array of what is poisoned.
  const std::uint8_t now = mode_.load(std::memory_order_acquire);
  // Relaxed, here and where it is set: the arrival of the predecessor lies between.
  if ((now & troubled) != 0 && poisoned_[node].load(std::memory_order_relaxed)) {
    not_called(node, false);
    poison_successors(node);
    return true;
  }
  if ((now & cancelling) == 0) return false;
  passed_over_ = true;
  not_called(node, true);
  return true;
}

template <class F>
void host_run::run_traced(std::uint32_t node, F&& function) noexcept {
  // Relaxed: this never changes while the run is under way.
  if ((mode_.load(std::memory_order_relaxed) & traced) == 0) return function();
  const std::int64_t begin = context()->where().ticks();
  function();
  context()->ran(plan_->label(node), begin);
}

void host_run::call_carefully(std::uint32_t node) noexcept {
  if (!passes_over(node)) run_traced(node, [&] { call_plainly(node); });
}

void host_run::call_plainly(std::uint32_t node) noexcept {
  try {
    plan_->function(node).call(call());
  } catch (...) {
    fail(node);
  }
}

void host_run::keep_result(std::uint32_t node, const plan_choice& choice) noexcept {
  if (passes_over(node)) return;
  run_traced(node, [&] {
    try {
      const std::int64_t result = plan_->function(node).ask(call());
      state_->numbers[choice.kept] = static_cast<std::uint64_t>(result);
    } catch (...) {
      fail(node);
    }
  });
}

/// Returns which body is to run now; none if the choice has ended.
std::size_t host_run::choose_body(std::uint32_t node, const plan_choice& choice) noexcept {
  std::uint64_t& rounds = state_->numbers[choice.rounds];
  while (true) {
    const std::size_t body = next_body(node, choice, rounds);
    if (body == chosen::nothing) break;
    ++rounds;
    if (choice.bodies[body].tasks != 0) return body;
  }
  rounds = 0;
  return chosen::nothing;
}

std::size_t host_run::next_body(std::uint32_t node, const plan_choice& choice,
                                std::uint64_t round) noexcept {
  // After its last round nothing is left of it that could be passed over.
  const bool is_over = round == choice.at_most;
  if (is_over && (mode_.load(std::memory_order_relaxed) & troubled) == 0) return chosen::nothing;
  if (passes_over(node) || is_over) return chosen::nothing;
  if (round == 0 && !choice.asks_first) return 0;
  chosen made;
  run_traced(node, [&] {
    try {
      const std::int64_t answer = choice.known == plan_choice::none
                                      ? plan_->function(node).ask(call())
                                      : static_cast<std::int64_t>(state_->numbers[choice.known]);
      made =
          choose(choice.rule, answer, choice.bodies.size(), task_name(plan_->label(node).text()));
    } catch (...) {
      fail(node);
    }
  });
  if (made.why) {
    note_failure(node, std::move(made.why));
    poison_successors(node);
  }
  return made.body;
}

void host_run::fail(std::uint32_t node) noexcept {
  failure why = why_failed(node);
  failed(node, why);
  note_failure(node, std::move(why));
  poison_successors(node);
}

/// What became of the function, which has just thrown.
failure host_run::why_failed(std::uint32_t node) noexcept {
  try {
    throw;
  } catch (const failed_call& known) {
    return known.why;
  } catch (...) {
    return caught(task_name(plan_->label(node).text()), stop_token_.stop_requested());
  }
}

void host_run::note_failure(std::uint32_t node, failure why) noexcept {
  const std::lock_guard lock(guard_);
  if (node < first_failed_) {
    first_failed_ = node;
    first_failure_ = std::move(why);
  }
  if (poisoned_ == nullptr) poisoned_.reset(new (std::nothrow) std::atomic<bool>[plan_->size()]());
  // Without memory to know which ones do not run, none does. Release: pairs with call_carefully().
  mode_.fetch_or(poisoned_ == nullptr ? cancelling : troubled, std::memory_order_release);
}

void host_run::poison_successors(std::uint32_t node) noexcept {
  if (poisoned_ == nullptr) return;
  for (const host_plan::successor next : plan_->next(node)) {
    if (fails_with(next.node(), node)) {
      poisoned_[next.node()].store(true, std::memory_order_relaxed);
    }
  }
}

bool host_run::tell(worker_slot& slot) noexcept {
  const std::uint64_t more = std::exchange(slot.ended, 0);
  return more != 0 && state_->ended.fetch_add(more) + more == plan_->size();
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
  failure why;
  {
    const std::lock_guard lock(guard_);
    why = first_failure_;
  }
  if (!why && (passed_over_ || !is_over_)) {
    const bool stopped = context()->is_stopping();
    if (stopped && context()->is_scope()) return context()->refusal_of(*this);
    why = {failure_code::cancelled,
           name() + (stopped ? " did not end, because its runtime was stopped."
                             : " was cancelled before it ended.")};
  }
  return why;
}

void host_run::leave_alone() noexcept {
  workers_.leave();
  send_if_wanted();
}

}  // namespace hocket::detail
