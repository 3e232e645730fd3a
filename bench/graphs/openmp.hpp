// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <vector>

#include "subject.hpp"

namespace hocket::bench::openmp {

/// Tasks with depend clauses, submitted at each run.
template <class Work>
class depending_tasks final : public built_graph {
 public:
  depending_tasks(std::size_t threads, const shape& what, const Work& work)
      : threads_(static_cast<int>(threads)), what_(what), work_(work), places_(what.size()) {}

  void run() override {
#pragma omp parallel num_threads(threads_) default(shared)
#pragma omp single
    submit();
  }

 private:
  void submit() {
    [[maybe_unused]] char* const place = places_.data();
    [[maybe_unused]] const std::uint32_t* const follows = what_.follows.data();
    for (std::size_t i = 0; i < what_.size(); ++i) {
      [[maybe_unused]] const std::uint32_t begin = what_.first[i];
      [[maybe_unused]] const std::uint32_t end = what_.first[i + 1];
      const auto call = work_.task(i);
      if (begin == end) {
#pragma omp task depend(out : place[i]) firstprivate(call)
        call();
      } else {
#pragma omp task depend(iterator(std::uint32_t at = begin \
                                 : end),                  \
                        in                                \
                        : place[follows[at]]) depend(out  \
                                                     : place[i]) firstprivate(call)
        call();
      }
    }
#pragma omp taskwait
  }

  int threads_;
  const shape& what_;
  [[no_unique_address]] Work work_;
  std::vector<char> places_;  // whose addresses stand for the tasks
};

template <class Work>
class maker_in_team final : public graph_maker {
 public:
  maker_in_team(std::size_t threads, const Work& work) : threads_(threads), work_(work) {}
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<depending_tasks<Work>>(threads_, what, work_);
  }

 private:
  std::size_t threads_;
  Work work_;
};

template <class Work>
[[nodiscard]] graph_subject task_graphs(const Work& work) {
  return {
      "openmp",
      [work](std::size_t threads) { return std::make_unique<maker_in_team<Work>>(threads, work); },
      false};
}

}  // namespace hocket::bench::openmp
