// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <deque>
#include <memory>

#include "recursion.hpp"
#include "subjects.hpp"

namespace hocket::bench {

namespace {

namespace flow = tbb::flow;
using message = flow::continue_msg;

struct nodes {
  explicit nodes(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      all.emplace_back(graph, [](const message& m) { return m; });
    }
  }

  flow::graph graph;
  std::deque<flow::continue_node<message>> all;
};

/// Calls work(count) in an arena of so many threads.
template <class Work>
contender in_arena(const char* subject, std::size_t threads, std::size_t count, const Work& work) {
  return {subject, [=] {
            const auto arena = std::make_shared<tbb::task_arena>(static_cast<int>(threads));
            return [=] {
              const auto in_arena = [&] { arena->execute([&] { work(count); }); };
              return nanoseconds_of(in_arena) / static_cast<double>(count);
            };
          }};
}

void grow(tbb::task_group& group, std::size_t below) {
  for (const std::size_t part : {below / 2, below - below / 2}) {
    if (part != 0) group.run([&group, part] { grow(group, part - 1); });
  }
}

std::size_t count_by_groups(std::size_t tasks) {
  if (tasks == 0) return 0;
  const parts_of_recursion parts = divide(tasks);
  std::size_t spawned = 0;
  tbb::task_group group;
  group.run([&] { spawned = count_by_groups(parts.spawned); });
  const std::size_t called = count_by_groups(parts.called);
  group.wait();
  return 1 + called + spawned;
}

}  // namespace

contender onetbb::fan_out(const settings& wanted, std::size_t edges) {
  return in_arena("tbb-flow", wanted.threads, edges, [](std::size_t count) {
    nodes made(count + 1);
    for (std::size_t i = 1; i <= count; ++i) flow::make_edge(made.all.front(), made.all[i]);
    made.all.front().try_put({});
    made.graph.wait_for_all();
  });
}

contender onetbb::fan_in(const settings& wanted, std::size_t edges) {
  return in_arena("tbb-flow", wanted.threads, edges, [](std::size_t count) {
    nodes made(count + 1);
    for (std::size_t i = 1; i <= count; ++i) flow::make_edge(made.all[i], made.all.front());
    for (std::size_t i = 1; i <= count; ++i) made.all[i].try_put({});
    made.graph.wait_for_all();
  });
}

contender onetbb::tree(const settings& wanted, std::size_t tasks) {
  return in_arena("tbb", wanted.threads, tasks, [](std::size_t all) {
    tbb::task_group group;
    group.run([&] { grow(group, all - 1); });
    group.wait();
  });
}

contender onetbb::recursion(const settings& wanted, std::size_t tasks) {
  return in_arena("tbb", wanted.threads, tasks,
                  [](std::size_t all) { expect_tasks(count_by_groups(all), all); });
}

contender onetbb::spawned_by_one(const settings& wanted, std::size_t tasks) {
  return in_arena("tbb", wanted.threads, tasks, [](std::size_t all) {
    tbb::task_group group;
    for (std::size_t i = 0; i < all; ++i) group.run([] {});
    group.wait();
  });
}

}  // namespace hocket::bench
