// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <array>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

// A task has a body that the compiler cannot see through: it takes away one that is empty, with
// the task.

/// A team is made before the time is taken, since programs keep theirs; one thread makes the tasks
/// of each sample and work ends when they have ended.
template <class Work>
contender of_team(load tasks, std::size_t threads, Work work) {
  return {"openmp", [=] {
            return [=] {
              double taken = 0;
#pragma omp parallel num_threads(static_cast <int>(threads)) default(shared)
#pragma omp single
              taken = nanoseconds_of([&] { repeat(tasks, work); });
              return taken / static_cast<double>(tasks.count);
            };
          }};
}

}  // namespace

contender openmp::host_tasks(const settings& wanted, load tasks) {
  return of_team(tasks, wanted.threads, [](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
#pragma omp task
      asm volatile("");
    }
#pragma omp taskwait
  });
}

contender openmp::round_trip(const settings& wanted) {
  return of_team(all_at_once(counts_for(wanted).round_trips), wanted.threads,
                 [](std::size_t count) {
                   for (std::size_t i = 0; i < count; ++i) {
#pragma omp task
                     asm volatile("");
#pragma omp taskwait
                   }
                 });
}

contender openmp::chain(const settings& wanted, load tasks) {
  return of_team(tasks, wanted.threads, [](std::size_t count) {
    [[maybe_unused]] float x = 0;
    for (std::size_t i = 0; i < count; ++i) {
#pragma omp task depend(inout : x) shared(x)
      asm volatile("");
    }
#pragma omp taskwait
  });
}

contender openmp::three_buffers(const settings& wanted, load tasks) {
  return of_team(tasks, wanted.threads, [](std::size_t count) {
    [[maybe_unused]] float a = 0;
    [[maybe_unused]] float b = 0;
    std::array<float, updated_buffers> c{};
    for (std::size_t i = 0; i < count; ++i) {
      [[maybe_unused]] float& updated = c[i % updated_buffers];
#pragma omp task depend(in : a, b) depend(inout : updated) shared(a, b, updated)
      asm volatile("");
    }
#pragma omp taskwait
  });
}

}  // namespace hocket::bench
