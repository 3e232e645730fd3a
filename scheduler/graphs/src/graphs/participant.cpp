// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/participant.hpp"

#include <cstdint>
#include <limits>
#include <span>

#include <hocket/execution/pause_processor.hpp>

#include "graphs/chosen.hpp"

namespace hocket::detail {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// What the functions of a plan are beside functions to be called.
enum plan_kind : std::uint8_t { plain, with_choices, with_data };

/// One class in one place, so that the compiler makes one loop of it.
template <plan_kind Kind>
class participant {
 public:
  participant(const run_parts& run, worker_supply& workers, worker_slot& slot)
      : plan_(run.plan), state_(run.state), workers_(workers), slot_(slot), caller_(run) {}

  [[nodiscard]] run_share work(std::size_t most) noexcept {
    run_share done;
    std::size_t looks = 0;
    for (std::uint32_t node = 0; done.functions < most;) {
      if (find(node)) {
        done.functions += run_from(node);
        looks = 0;
        continue;
      }
      done.last = state_.count_ended(slot_);
      if (done.last || state_.all_ended() || looks++ == workers_.looks_before_leaving()) break;
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
    if (left != 0) workers_.send_if_wanted();
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
    if (slot_.ready.occupied()) workers_.send_if_wanted();
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
      caller_.keep_result(node, choice);
      was_away();
      ++slot_.ended;
      return plan_.next(node);
    }
    const std::size_t body = caller_.choose_body(node, choice);
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
    if (slot_.came_back()) workers_.end_wait();
  }

  void call(std::uint32_t node) noexcept {
    if constexpr (Kind == with_data) slot_.node = node;
    caller_.call(node);
  }

  /// Puts those that became ready in stock, but for one.
  [[nodiscard]] std::uint32_t release(std::span<const host_plan::successor> successors) noexcept {
    std::uint32_t kept = none;
    bool stocked = false;
    for (const host_plan::successor next : successors) {
      if (next.waits_for_others() && !state_.arrive(plan_, next.node())) continue;
      if (kept == none) {
        kept = next.node();
      } else {
        slot_.ready.push(next.node());
        stocked = true;
      }
    }
    if (stocked) workers_.send_if_wanted();
    return kept;
  }

  const host_plan& plan_;
  run_state& state_;
  worker_supply& workers_;
  worker_slot& slot_;
  function_caller caller_;
};

}  // namespace

run_share run_functions(const run_parts& run, worker_supply& workers, worker_slot& slot,
                        std::size_t most) noexcept {
  if (run.plan.has_choices()) return participant<with_choices>(run, workers, slot).work(most);
  if (run.plan.waits_outside()) return participant<with_data>(run, workers, slot).work(most);
  return participant<plain>(run, workers, slot).work(most);
}

}  // namespace hocket::detail
