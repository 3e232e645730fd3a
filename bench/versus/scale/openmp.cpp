// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <array>
#include <memory>
#include <vector>

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

// Each address that tasks depend on stands for a buffer or a tile; compilers do not see that a
// clause uses it. They take away a task whose body is empty.

using addresses = std::vector<char>;

void sweep(const char* from, char* to, std::size_t side) {
  const auto index = [side](std::size_t i, std::size_t j) { return i * side + j; };
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      // At the edge of the grid the tile itself stands for a neighbour that is missing.
      [[maybe_unused]] const char& own = from[index(i, j)];
      [[maybe_unused]] const char& above = from[index(i > 0 ? i - 1 : i, j)];
      [[maybe_unused]] const char& below = from[index(i + 1 < side ? i + 1 : i, j)];
      [[maybe_unused]] const char& left = from[index(i, j > 0 ? j - 1 : j)];
      [[maybe_unused]] const char& right = from[index(i, j + 1 < side ? j + 1 : j)];
      [[maybe_unused]] char& target = to[index(i, j)];
#pragma omp task depend(in : own, above, below, left, right) depend(out : target)
      asm volatile("");
    }
  }
}

void update_each(addresses& all) {
  for ([[maybe_unused]] char& each : all) {
#pragma omp task depend(inout : each)
    asm volatile("");
  }
}

/// One thread of a team submits tasks on so many addresses and waits for them.
template <class Work>
contender on_addresses(const settings& wanted, std::size_t count, std::size_t tasks,
                       const Work& work) {
  const auto all = std::make_shared<addresses>(count);
  return of_team(wanted, tasks, [=](std::size_t) {
    work(*all);
#pragma omp taskwait
  });
}

}  // namespace

contender openmp::stencil(const settings& wanted, std::size_t tiles) {
  const std::size_t side = side_of(tiles);
  return on_addresses(wanted, 2 * side * side, sweeps * tiles, [side](addresses& all) {
    char* const one = all.data();
    char* const other = one + side * side;
    for (std::size_t i = 0; i < sweeps; ++i) {
      sweep(i % 2 == 0 ? one : other, i % 2 == 0 ? other : one, side);
    }
  });
}

contender openmp::many_buffers(const settings& wanted, std::size_t buffers) {
  return on_addresses(wanted, buffers, accesses_to_each * buffers, [](addresses& all) {
    for (std::size_t i = 0; i < accesses_to_each; ++i) update_each(all);
  });
}

contender openmp::submitted_anew(const settings& wanted, std::size_t buffers) {
  return on_addresses(wanted, buffers, buffers, update_each);
}

contender openmp::kernels_anew(const settings& wanted, std::size_t buffers) {
  using small_vector = std::array<float, small_vector_length>;
  const auto all = std::make_shared<std::vector<small_vector>>(buffers);
  return of_team(wanted, buffers, [all](std::size_t) {
    small_vector x;
    x.fill(1.0F);
    for (small_vector& each : *all) {
#pragma omp task depend(inout : each) shared(x)
      for (std::size_t i = 0; i < small_vector_length; ++i) each[i] += 0.5F * x[i];
    }
#pragma omp taskwait
  });
}

contender openmp::fan_out(const settings& wanted, std::size_t edges) {
  return on_addresses(wanted, 1, edges, [edges](addresses& all) {
    [[maybe_unused]] char& one = all.front();
#pragma omp task depend(out : one)
    asm volatile("");
    for (std::size_t i = 0; i < edges; ++i) {
#pragma omp task depend(in : one)
      asm volatile("");
    }
  });
}

contender openmp::fan_in(const settings& wanted, std::size_t edges) {
  return on_addresses(wanted, 1, edges, [edges](addresses& all) {
    [[maybe_unused]] char& one = all.front();
    for (std::size_t i = 0; i < edges; ++i) {
#pragma omp task depend(in : one)
      asm volatile("");
    }
#pragma omp task depend(out : one)
    asm volatile("");
  });
}

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
#pragma omp task
      asm volatile("");
    }
#pragma omp taskwait
  });
}

}  // namespace hocket::bench
