// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graphs/subject.hpp>

namespace hocket::bench {

/// Computes in registers, for a time that grows with the iterations.
void compute(std::uint64_t iterations) noexcept;

/// How long one iteration takes while so many threads compute, each on a core: the best of many.
[[nodiscard]] double nanoseconds_per_iteration(std::size_t threads);

/// What the tasks of a graph of that shape do.
class graph_work {
 public:
  explicit graph_work(const shape& what) : what_(what), runs_(what.size()) {}

  /// From now on a task computes for so long.
  void set_iterations(std::uint64_t iterations) noexcept { iterations_ = iterations; }

  /// Calls run, which runs the graph, and looks whether each task has run once, after those that it
  /// follows. Throws std::runtime_error with the name of the subject otherwise.
  template <class Run>
  void check(const char* subject, Run&& run) {
    begin_check();
    run();
    end_check(subject);
  }

  void run(std::size_t task) noexcept {
    if (checking_) {
      run_checked(task);
    } else {
      compute(iterations_);
    }
  }

 private:
  void begin_check();
  void end_check(const char* subject);
  void run_checked(std::size_t task) noexcept;

  const shape& what_;
  std::uint64_t iterations_ = 0;
  bool checking_ = false;
  std::vector<std::atomic<std::uint32_t>> runs_;  // of each task, those that have ended
  std::atomic<bool> out_of_order_{false};
};

/// The work of a graph in the form that subjects take.
struct work_of_tasks {
  struct function {
    void operator()() const noexcept { all->run(task); }
    graph_work* all;
    std::size_t task;
  };
  [[nodiscard]] function task(std::size_t i) const noexcept { return {all, i}; }

  graph_work* all = nullptr;
};

}  // namespace hocket::bench
