// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "host_run.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "caught.hpp"
#include "helping_scope.hpp"

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
  return std::min(sum, run_crew<>::most);
}

void rest() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

completion_ptr host_run::start(host_context& context, std::shared_ptr<host_plan> plan) {
  const boost::intrusive_ptr<host_run> made(new host_run(context, std::move(plan)));
  made->begin();
  return made;
}

host_run::host_run(host_context& context, std::shared_ptr<host_plan> plan)
    : completion(&context, "graph"),
      where_(context.where()),
      plan_(std::move(plan)),
      crew_(all_workers(where_)),
      // Nobody else runs while a thread of the seeded executor spins.
      spins_(where_.is_virtual() ? 0 : looks_before_leaving) {
  state_ = plan_->state_for_run();
  if (context.traces()) mode_ = traced;
  if (plan_->listens()) stop_ = std::stop_source();
  stop_token_ = stop_.get_token();
}

host_run::~host_run() { plan_->give_back(std::move(state_)); }

void host_run::begin() {
  context()->started();
  if (plan_->size() == 0) return conclude();
  watch_.emplace(context()->stopping(), stop_watch{this});
  send_for_worker();
}

task_status host_run::status() const noexcept {
  return done() ? task_status::done : task_status::running;
}

void host_run::request_cancel() noexcept {
  // Who does not see it yet calls one more function: relaxed.
  mode_.fetch_or(cancelled, std::memory_order_relaxed);
  stop_.request_stop();
}

void host_run::send_for_worker() noexcept {
  crew_.send_for();
  const boost::intrusive_ptr<host_run> self(this);
  try {
    // Relaxed: any order of the arenas will do.
    const std::size_t arena =
        arenas_used_.fetch_add(1, std::memory_order_relaxed) % where_.arenas();
    where_.post(arena, 0, [self] {
      if (self->work()) self->send_for_worker();
    });
  } catch (...) {
    // No memory for the item: this thread does the work itself, because somebody has to.
    while (work()) crew_.send_for();
  }
}

/// Returns true if another worker is to be sent for.
bool host_run::work() noexcept {
  const bool wanted = crew_.arrive() && !done();
  const bool goes_on = wanted && take_part(functions_of_one_turn, true) >= functions_of_one_turn;
  crew_.leave();
  return (goes_on && !done()) || needs_another();
}

bool host_run::help(helping& /*by*/) noexcept {
  const bool ran =
      crew_.join() && take_part(std::numeric_limits<std::size_t>::max(), where_.inside()) > 0;
  crew_.leave();
  // Not by sending for one: the run may have ended, and the executor with it.
  return ran || needs_another();
}

/// After leave(): see run_crew.
bool host_run::needs_another() const noexcept {
  return !done() && state_->has_stock() && crew_.wants_more();
}

/// What one thread does while it takes part. One class in one place, so that the compiler makes one
/// loop of it.
class host_run::participant {
 public:
  participant(host_run& run, host_seat& seat)
      : run_(run), plan_(*run.plan_), state_(*run.state_), seat_(seat) {}

  [[nodiscard]] share work(std::size_t most) noexcept {
    share done;
    std::size_t looks = 0;
    for (std::uint32_t node = 0; done.functions < most;) {
      if (find(node)) {
        done.functions += run_from(node);
        looks = 0;
        continue;
      }
      done.last = run_.tell(seat_);
      if (done.last || state_.ended.load() == plan_.size() || looks++ == run_.spins_) break;
      rest();
    }
    return done;
  }

 private:
  [[nodiscard]] bool find(std::uint32_t& node) noexcept {
    if (seat_.ready.take(node)) return true;
    std::uint32_t index = 0;
    std::uint32_t left = 0;
    if (!seat_.starts.take(index, left)) return steal(node);
    if (left != 0) run_.send_if_wanted();
    node = plan_.starts()[index];
    return true;
  }

  [[nodiscard]] bool steal(std::uint32_t& node) noexcept {
    for (host_seat* other = state_.seats(); other != nullptr; other = other->next) {
      if (other == &seat_) continue;
      if (other->ready.occupied() && other->ready.steal(node)) return true;
      const auto [first, last] = other->starts.steal();
      if (first == last) continue;
      seat_.starts.assign({first + 1, last});
      node = plan_.starts()[first];
      return true;
    }
    return false;
  }

  /// Runs a function, then one that it made ready, and so on.
  [[nodiscard]] std::size_t run_from(std::uint32_t node) noexcept {
    for (std::size_t ran = 1;; ++ran) {
      call(node);
      if (seat_.came_back()) run_.crew_.come_back();
      ++seat_.ended;
      const std::uint32_t kept = release_successors(node);
      if (kept == none) return ran;
      node = kept;
      if (ran < functions_of_one_turn) continue;
      seat_.ready.push(node);
      return ran;
    }
  }

  void call(std::uint32_t node) noexcept {
    // Relaxed: what a predecessor has set is seen because of its arrival.
    if (run_.mode_.load(std::memory_order_relaxed) != 0) return run_.call_carefully(node);
    try {
      plan_.function(node).call(run_.stop_token_);
    } catch (...) {
      run_.fail(node);
    }
  }

  /// Puts those that became ready in stock, but for one.
  [[nodiscard]] std::uint32_t release_successors(std::uint32_t node) noexcept {
    std::uint32_t kept = none;
    bool stocked = false;
    for (const host_plan::successor next : plan_.next(node)) {
      if (next.waits_for_others() && !arrive(next.node())) continue;
      if (kept == none) {
        kept = next.node();
      } else {
        seat_.ready.push(next.node());
        stocked = true;
      }
    }
    if (stocked) run_.send_if_wanted();
    return kept;
  }

  /// Returns true if this was the last one that the function waited for.
  [[nodiscard]] bool arrive(std::uint32_t node) noexcept {
    std::atomic<std::uint32_t>& left = state_.waits_for[node];
    // Release: pairs with the acquire of the last arrival, which sees what came before all of them.
    if (left.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    // Relaxed: the next one to count is in a later run.
    left.store(plan_.before(node), std::memory_order_relaxed);
    return true;
  }

  host_run& run_;
  const host_plan& plan_;
  run_state& state_;
  host_seat& seat_;
};

std::size_t host_run::take_part(std::size_t most, bool is_worker) noexcept {
  host_seat* seat = nullptr;
  try {
    seat = &state_->take_seat();
  } catch (const std::bad_alloc&) {
    return 0;  // who has the seat that there was from the beginning does the work
  }
  if (!state_->begun.exchange(true)) {
    seat->starts.assign({0, static_cast<std::uint32_t>(plan_->starts().size())});
  }
  share done;
  {
    const helping_scope scope(context(), is_worker);
    seat->sit_down(*this);
    done = participant(*this, *seat).work(most);
    seat->stand_up();
  }
  const bool last = tell(*seat) || done.last;
  state_->free_seat(*seat);
  if (last) conclude();
  return done.functions;
}

void host_run::call_carefully(std::uint32_t node) noexcept {
  // Acquire: pairs with note_failure(), for the array of what is doomed.
  const std::uint8_t now = mode_.load(std::memory_order_acquire);
  // Relaxed, here and where it is set: the arrival of the predecessor lies between.
  if ((now & troubled) != 0 && doomed_[node].load(std::memory_order_relaxed)) {
    doom_successors(node);
  } else if ((now & cancelled) != 0) {
    passed_over_ = true;
  } else if ((now & traced) != 0) {
    const time_stamp begin = context()->where().now();
    call_plainly(node);
    context()->ran(plan_->label(node), begin);
  } else {
    call_plainly(node);
  }
}

void host_run::call_plainly(std::uint32_t node) noexcept {
  try {
    plan_->function(node).call(stop_token_);
  } catch (...) {
    fail(node);
  }
}

void host_run::fail(std::uint32_t node) noexcept {
  failure why = caught(task_name(plan_->label(node).text()), stop_token_.stop_requested());
  note_failure(node, std::move(why));
  doom_successors(node);
}

void host_run::note_failure(std::uint32_t node, failure why) noexcept {
  const std::lock_guard lock(guard_);
  if (node < first_failed_) {
    first_failed_ = node;
    first_failure_ = std::move(why);
  }
  if (doomed_ == nullptr) doomed_.reset(new (std::nothrow) std::atomic<bool>[plan_->size()]());
  // Without memory to know which ones do not run, none does. Release: pairs with call_carefully().
  mode_.fetch_or(doomed_ == nullptr ? cancelled : troubled, std::memory_order_release);
}

void host_run::doom_successors(std::uint32_t node) noexcept {
  if (doomed_ == nullptr) return;
  for (const host_plan::successor next : plan_->next(node)) {
    doomed_[next.node()].store(true, std::memory_order_relaxed);
  }
}

bool host_run::tell(host_seat& seat) noexcept {
  const std::uint64_t more = std::exchange(seat.ended, 0);
  return more != 0 && state_->ended.fetch_add(more) + more == plan_->size();
}

void host_run::conclude() noexcept {
  watch_.reset();
  failure why;
  {
    const std::lock_guard lock(guard_);
    why = first_failure_;
  }
  if (!why && passed_over_) {
    const bool stopped = context()->stopping().stop_requested();
    why = {failure_code::cancelled,
           name() + (stopped ? " did not end, because its runtime was stopped."
                             : " was cancelled before it ended.")};
  }
  finish(std::move(why));
}

void host_run::leave_alone() noexcept {
  crew_.leave();
  send_if_wanted();
}

}  // namespace hocket::detail
