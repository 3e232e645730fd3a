// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <vector>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

class submitted final : public built_graph {
 public:
  submitted(std::size_t threads, const shape& what)
      : threads_(static_cast<int>(threads)), what_(what), places_(what.size()) {}

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
      // The compiler takes away a task that it can see to be empty.
      if (begin == end) {
#pragma omp task depend(out : place[i])
        asm volatile("");
      } else {
#pragma omp task depend(iterator(std::uint32_t at = begin \
                                 : end),                  \
                        in                                \
                        : place[follows[at]]) depend(out  \
                                                     : place[i])
        asm volatile("");
      }
    }
#pragma omp taskwait
  }

  int threads_;
  const shape& what_;
  std::vector<char> places_;  // whose addresses stand for the tasks
};

class maker final : public graph_maker {
 public:
  explicit maker(std::size_t threads) : threads_(threads) {}
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<submitted>(threads_, what);
  }

 private:
  std::size_t threads_;
};

}  // namespace

graph_subject openmp::depending_tasks() {
  return {"openmp", [](std::size_t threads) { return std::make_unique<maker>(threads); }, false};
}

}  // namespace hocket::bench
