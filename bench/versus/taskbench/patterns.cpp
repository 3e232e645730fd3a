// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "patterns.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

namespace hocket::bench {

namespace {

/// Where a task stands. Columns are signed, since patterns reach over the edges.
struct place {
  int step;
  int column;
};

/// The columns of a step.
struct range {
  int begin;
  int end;
};

/// Columns of the step before. Those that the step does not have are left out.
using columns = std::set<int>;

struct pattern {
  const char* name;
  std::function<range(int step)> tasks;
  std::function<columns(const place&)> follows;
};

constexpr int reach = 5;   // nearest, spread and random_nearest know so many columns
constexpr int period = 3;  // spread and random_nearest repeat after so many steps

columns between(int first, int last) {
  columns all;
  for (int each = first; each <= last; ++each) all.insert(each);
  return all;
}

/// Mixes the bits of a number, so that neighbours have nothing in common (splitmix64).
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

/// The column itself, and one in four of the others that are near, as chance wanted it.
columns random_near(const place& at) {
  columns all{at.column};
  for (const int each : between(at.column - reach / 2, at.column + reach / 2)) {
    const auto where = static_cast<std::uint64_t>(at.step % period) << 32U |
                       static_cast<std::uint64_t>(at.column) << 16U |
                       static_cast<std::uint64_t>(each + reach);
    if (mixed(where) % 4 == 0) all.insert(each);
  }
  return all;
}

std::vector<pattern> all_patterns(int width, int steps) {
  const auto whole = [=](int) { return range{0, width}; };
  const auto around = [=](int column) { return (column + width) % width; };
  const int halvings = std::countr_zero(static_cast<unsigned>(width));
  return {
      {"trivial", whole, [](const place&) { return columns{}; }},
      {"no_comm", whole, [](const place& at) { return columns{at.column}; }},
      {"stencil_1d", whole, [](const place& at) { return between(at.column - 1, at.column + 1); }},
      {"stencil_1d_periodic", whole,
       [=](const place& at) {
         return columns{around(at.column - 1), at.column, around(at.column + 1)};
       }},
      // A wavefront: it comes in at the first column and leaves at the last.
      {"dom",
       [=](int step) {
         return range{std::max(0, step + width - steps), std::min(width, step + 1)};
       },
       [](const place& at) { return between(at.column - 1, at.column); }},
      {"tree",
       [=](int step) {
         return range{0, step < halvings ? 1 << step : width};
       },
       [](const place& at) { return columns{at.column / 2}; }},
      {"fft", whole,
       [=](const place& at) {
         const int away = 1 << ((at.step - 1) % halvings);
         return columns{at.column - away, at.column, at.column + away};
       }},
      {"all_to_all", whole, [=](const place&) { return between(0, width - 1); }},
      {"nearest", whole,
       [](const place& at) { return between(at.column - reach / 2, at.column + reach / 2); }},
      {"spread", whole,
       [=](const place& at) {
         columns all{at.column};
         for (int i = 1; i < reach; ++i) {
           all.insert(around(at.column + i * width / reach + at.step % period));
         }
         return all;
       }},
      {"random_nearest", whole, random_near},
  };
}

shape made_of(const pattern& what, int steps) {
  shape made{what.name, {0}, {}};
  range before{0, 0};
  std::uint32_t first_before = 0;
  for (int step = 0; step < steps; ++step) {
    const auto first = static_cast<std::uint32_t>(made.size());
    const range now = what.tasks(step);
    for (int column = now.begin; column < now.end; ++column) {
      const columns follows = step == 0 ? columns{} : what.follows({step, column});
      for (const int each : follows) {
        if (each < before.begin || each >= before.end) continue;
        made.follows.push_back(first_before + static_cast<std::uint32_t>(each - before.begin));
      }
      made.first.push_back(static_cast<std::uint32_t>(made.follows.size()));
    }
    before = now;
    first_before = first;
  }
  return made;
}

}  // namespace

std::vector<shape> task_bench_patterns(std::size_t width, std::size_t steps) {
  std::vector<shape> all;
  for (const pattern& each : all_patterns(static_cast<int>(width), static_cast<int>(steps))) {
    all.push_back(made_of(each, static_cast<int>(steps)));
  }
  return all;
}

}  // namespace hocket::bench
