// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "recursion.hpp"
#include "subjects.hpp"

namespace hocket::bench {

namespace {

void grow(std::size_t below) {
  for (const std::size_t part : {below / 2, below - below / 2}) {
    if (part == 0) continue;
#pragma omp task firstprivate(part)
    grow(part - 1);
  }
}

std::size_t count(std::size_t tasks) {
  if (tasks == 0) return 0;
  const parts_of_recursion parts = divide(tasks);
  std::size_t spawned = 0;
#pragma omp task shared(spawned)
  spawned = count(parts.spawned);
  const std::size_t called = count(parts.called);
#pragma omp taskwait
  return 1 + called + spawned;
}

/// One thread of a team calls work(tasks); the team is made before the time is taken.
template <class Work>
contender of_team(const settings& wanted, std::size_t tasks, const Work& work) {
  const std::size_t threads = wanted.threads;
  return {"openmp", [=] {
            return [=] {
              double taken = 0;
#pragma omp parallel num_threads(static_cast <int>(threads)) default(shared)
#pragma omp single
              taken = nanoseconds_of([&] { work(tasks); });
              return taken / static_cast<double>(tasks);
            };
          }};
}

}  // namespace

contender openmp::tree(const settings& wanted, std::size_t tasks) {
  return of_team(wanted, tasks, [](std::size_t all) {
#pragma omp taskgroup
    {
#pragma omp task
      grow(all - 1);
    }
  });
}

contender openmp::recursion(const settings& wanted, std::size_t tasks) {
  return of_team(wanted, tasks, [](std::size_t all) { expect_tasks(count(all), all); });
}

contender openmp::spawned_by_one(const settings& wanted, std::size_t tasks) {
  return of_team(wanted, tasks, [](std::size_t all) {
    for (std::size_t i = 0; i < all; ++i) {
      // The compiler takes away a task whose body is empty.
#pragma omp task
      asm volatile("");
    }
#pragma omp taskwait
  });
}

}  // namespace hocket::bench
