// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

#include <hocket/core/error.hpp>
#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/plan_function.hpp>

#include "graphs/host_plan.hpp"
#include "graphs/run_outcome.hpp"
#include "graphs/run_state.hpp"

namespace hocket::detail {

/// What a run with data has to say about failures of its functions. Any thread that takes part in
/// the run.
class failure_listener {
 public:
  virtual void failed(std::uint32_t node, const failure& why) noexcept = 0;
  /// Everything before the function is over and it is not called: because the run is cancelled, or
  /// because something before it failed. Returns how it fails.
  [[nodiscard]] virtual failure not_called(std::uint32_t node, bool is_cancelled) noexcept = 0;
  /// True if a function is not called that comes after one that failed.
  [[nodiscard]] virtual bool fails_with(std::uint32_t node, std::uint32_t before) const = 0;

 protected:
  failure_listener() = default;
  failure_listener(const failure_listener&) = delete;
  failure_listener& operator=(const failure_listener&) = delete;
  ~failure_listener() = default;
};

/// The parts of a run that a thread uses which calls its functions.
struct run_parts {
  host_context* context;
  const host_plan& plan;
  run_state& state;
  run_outcome& outcome;
  failure_listener* listener;  ///< null: all that comes after a failed function fails
  plan_call call;
};

/// Calls the functions of a run, one at a time, unless they are cancelled or poisoned, and notes
/// which of them fail. For one thread.
class function_caller {
 public:
  explicit function_caller(const run_parts& run) noexcept : run_(run) {}

  /// A function whose result does not count.
  void call(std::uint32_t node) noexcept {
    if (!run_.outcome.is_plain()) return call_carefully(node);
    try {
      run_.plan.function(node).call(run_.call);
    } catch (...) {
      fail(node);
    }
  }

  /// A function whose result is kept.
  void keep_result(std::uint32_t node, const plan_choice& choice) noexcept;

  /// A function that makes a choice, perhaps several times. Returns which body is to run now;
  /// chosen::nothing if the choice has ended.
  [[nodiscard]] std::size_t choose_body(std::uint32_t node, const plan_choice& choice) noexcept;

 private:
  void call_carefully(std::uint32_t node) noexcept;
  [[nodiscard]] std::size_t next_body(std::uint32_t node, const plan_choice& choice,
                                      std::uint64_t round) noexcept;
  [[nodiscard]] bool passes_over(std::uint32_t node) noexcept;
  void pass_over(std::uint32_t node, bool is_cancelled) noexcept;
  template <class F>
  void run_traced(std::uint32_t node, F&& function) noexcept;
  void fail(std::uint32_t node) noexcept;
  void note_failure(std::uint32_t node, failure why) noexcept;
  [[nodiscard]] failure why_failed(std::uint32_t node) const noexcept;
  void poison_successors(std::uint32_t node) noexcept;

  const run_parts run_;
};

}  // namespace hocket::detail
