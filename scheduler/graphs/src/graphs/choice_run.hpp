// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include <hocket/scheduler/detail/graph_use.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

#include "graphs/graph_content.hpp"
#include "graphs/run_frame.hpp"

namespace hocket::detail {

/// One run of a choice among graphs that is no part of a plan: holds the buffers of all graphs,
/// asks, runs the graph that was chosen within what it holds, and so on. What it asks and runs are
/// tasks; between them it is an item of the executor, so that loops are no recursion.
class choice_run final : public task_state {
 public:
  [[nodiscard]] static task_state_ptr start(use_node&& node, const run_frame& frame);

  choice_run(graph_use&& use, const run_frame& frame);

  [[nodiscard]] task_status status() const noexcept override;
  void request_cancel() noexcept override;
  void tell_awaited(wait_visitor& to) override;

 private:
  class domain;

  /// Goes on when the task that it waits for has ended.
  struct edge final : continuation {
    void run(task_state& from, ready_list& next) noexcept override;
    [[nodiscard]] task_state* follower() const noexcept override { return owner; }
    choice_run* owner = nullptr;
    task_state_ptr source;
  };
  enum class step : std::uint8_t { before, asks, runs };

  void begin(std::vector<access_argument>&& holds) noexcept;
  void ask_for_domain(std::vector<access_argument>&& holds);
  void ask_for_place(std::vector<access_argument>&& holds);
  void wait_for(edge& which, task_state_ptr source) noexcept;
  void arrive() noexcept;
  void domain_opened() noexcept;
  void domain_closed(const failure& why) noexcept;
  void post() noexcept;
  void go_on() noexcept;
  void next_round();
  void ask();
  void answered(std::int64_t answer);
  void run_body(std::size_t body);
  void follow(step what, task_state_ptr task);
  void leave(failure why) noexcept;
  void end(failure why) noexcept;
  [[nodiscard]] failure interrupted();
  [[nodiscard]] failure ended_badly(task_state& task);
  [[nodiscard]] task_state_ptr asked_task();

  graph_use use_;
  run_frame frame_;     // of the bodies
  place_within outer_;  // what holds the buffers around this

  // The thread that does a step writes these; steps follow one another.
  step step_ = step::before;
  std::uint64_t rounds_ = 0;
  edge after_;
  edge answer_;
  edge current_;
  failure why_;
  failure domain_failure_;

  std::atomic<std::uint32_t> waits_{1};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> asked_for_domain_{false};
  std::atomic<bool> holds_{false};

  std::mutex guard_;  // for what follows, and for letting go of after_ and answer_
  task_state_ptr under_way_;
};

}  // namespace hocket::detail
