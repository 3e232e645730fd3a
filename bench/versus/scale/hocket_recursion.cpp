// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include "recursion.hpp"
#include "subjects.hpp"
#include "timed.hpp"

namespace hocket::bench {

namespace {

/// The part of a tree below one of its tasks.
void grow(runtime& rt, std::size_t below) {
  for (const std::size_t part : {below / 2, below - below / 2}) {
    if (part != 0) rt.async([&rt, part] { grow(rt, part - 1); });
  }
}

std::size_t count_by_get(runtime& rt, std::size_t tasks) {
  if (tasks == 0) return 0;
  const parts_of_recursion parts = divide(tasks);
  const auto spawned = rt.async([&rt, parts] { return count_by_get(rt, parts.spawned); });
  const std::size_t called = count_by_get(rt, parts.called);
  return 1 + called + spawned.get();
}

std::size_t count_by_scopes(runtime& rt, std::size_t tasks) {
  if (tasks == 0) return 0;
  const parts_of_recursion parts = divide(tasks);
  std::size_t spawned = 0;
  task_scope scope(rt);
  scope.async([&] { spawned = count_by_scopes(rt, parts.spawned); });
  const std::size_t called = count_by_scopes(rt, parts.called);
  scope.wait();
  return 1 + called + spawned;
}

/// count(rt, n) spawns n tasks and returns how many have run.
contender recursion(const char* subject, std::size_t tasks,
                    std::size_t (*count)(runtime&, std::size_t)) {
  return timed(
      subject, tasks, [] { return std::make_unique<runtime>(); },
      [=](runtime& rt) {
        expect_tasks(1 + rt.async([&] { return count(rt, tasks - 1); }).get(), tasks);
      });
}

}  // namespace

contender ours::tree(std::size_t tasks) {
  return timed(
      "hocket", tasks, [] { return std::make_unique<runtime>(); },
      [tasks](runtime& rt) {
        rt.async([&] { grow(rt, tasks - 1); });
        rt.wait();
      });
}

contender ours::recursion_by_get(std::size_t tasks) {
  return recursion("hocket-get", tasks, count_by_get);
}

contender ours::recursion_by_scopes(std::size_t tasks) {
  return recursion("hocket", tasks, count_by_scopes);
}

contender ours::spawned_by_one(std::size_t tasks) {
  return timed(
      "hocket", tasks, [] { return std::make_unique<runtime>(); },
      [tasks](runtime& rt) {
        rt.async([&] {
          for (std::size_t i = 1; i < tasks; ++i) rt.async([] {});
        });
        rt.wait();
      });
}

}  // namespace hocket::bench
