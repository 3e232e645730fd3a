// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/function_caller.hpp"

#include <utility>

#include "graphs/chosen.hpp"
#include "tasks/caught.hpp"
#include "tasks/host_trace.hpp"

namespace hocket::detail {

void function_caller::call_carefully(std::uint32_t node) noexcept {
  if (passes_over(node)) return;
  run_traced(node, [&] {
    try {
      run_.plan.function(node).call(run_.call);
    } catch (...) {
      fail(node);
    }
  });
}

void function_caller::keep_result(std::uint32_t node, const plan_choice& choice) noexcept {
  if (passes_over(node)) return;
  run_traced(node, [&] {
    try {
      const std::int64_t result = run_.plan.function(node).ask(run_.call);
      run_.state.numbers[choice.kept] = static_cast<std::uint64_t>(result);
    } catch (...) {
      fail(node);
    }
  });
}

std::size_t function_caller::choose_body(std::uint32_t node, const plan_choice& choice) noexcept {
  std::uint64_t& rounds = run_.state.numbers[choice.rounds];
  while (true) {
    const std::size_t body = next_body(node, choice, rounds);
    if (body == chosen::nothing) break;
    ++rounds;
    if (choice.bodies[body].tasks != 0) return body;
  }
  rounds = 0;
  return chosen::nothing;
}

std::size_t function_caller::next_body(std::uint32_t node, const plan_choice& choice,
                                       std::uint64_t round) noexcept {
  // After its last round nothing is left of it that could be passed over.
  const bool is_over = round == choice.at_most;
  if (is_over && !run_.outcome.has_failed()) return chosen::nothing;
  if (passes_over(node) || is_over) return chosen::nothing;
  if (round == 0 && !choice.asks_first) return 0;
  chosen made;
  run_traced(node, [&] {
    try {
      const std::int64_t answer = choice.known == plan_choice::none
                                      ? run_.plan.function(node).ask(run_.call)
                                      : static_cast<std::int64_t>(run_.state.numbers[choice.known]);
      made = choose(choice.rule, {answer, choice.is_unsigned}, choice.bodies.size(),
                    task_name(run_.plan.label(node).text()));
    } catch (...) {
      fail(node);
    }
  });
  if (made.why) note_failure(node, std::move(made.why));
  return made.body;
}

bool function_caller::passes_over(std::uint32_t node) noexcept {
  switch (run_.outcome.verdict_on(node)) {
    case run_outcome::verdict::is_called:
      return false;
    case run_outcome::verdict::is_poisoned:
      pass_over(node, false);
      poison_successors(node);
      break;
    case run_outcome::verdict::is_cancelled:
      pass_over(node, true);
      break;
  }
  return true;
}

void function_caller::pass_over(std::uint32_t node, bool is_cancelled) noexcept {
  if (run_.listener == nullptr) return;
  run_.plan.function(node).not_called(run_.call, run_.listener->not_called(node, is_cancelled));
}

template <class F>
void function_caller::run_traced(std::uint32_t node, F&& function) noexcept {
  if (!run_.outcome.is_traced()) return function();
  const std::int64_t begin = run_.context->where().ticks();
  function();
  run_.context->trace()->push(run_.plan.label(node), begin);
}

void function_caller::fail(std::uint32_t node) noexcept {
  failure why = why_failed(node);
  if (run_.listener != nullptr) run_.listener->failed(node, why);
  note_failure(node, std::move(why));
}

void function_caller::note_failure(std::uint32_t node, failure why) noexcept {
  run_.outcome.fail(node, std::move(why), run_.plan.size());
  poison_successors(node);
}

/// Of the function, which has just thrown.
failure function_caller::why_failed(std::uint32_t node) const noexcept {
  try {
    throw;
  } catch (const failed_call& known) {
    return known.why;
  } catch (...) {
    return explained([&] {
      return caught(task_name(run_.plan.label(node).text()), run_.call.stop.stop_requested());
    });
  }
}

void function_caller::poison_successors(std::uint32_t node) noexcept {
  if (!run_.outcome.can_poison()) return;
  for (const host_plan::successor next : run_.plan.next(node)) {
    if (run_.listener == nullptr || run_.listener->fails_with(next.node(), node)) {
      run_.outcome.poison(next.node());
    }
  }
}

}  // namespace hocket::detail
