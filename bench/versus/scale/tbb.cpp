// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>

#include <deque>
#include <memory>

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

/// Calls work(edges) in an arena of so many threads.
template <class Work>
contender in_arena(std::size_t threads, std::size_t edges, const Work& work) {
  return {"tbb-flow", [=] {
            const auto arena = std::make_shared<tbb::task_arena>(static_cast<int>(threads));
            return [=] {
              const auto in_arena = [&] { arena->execute([&] { work(edges); }); };
              return nanoseconds_of(in_arena) / static_cast<double>(edges);
            };
          }};
}

}  // namespace

contender onetbb::fan_out(const settings& wanted, std::size_t edges) {
  return in_arena(wanted.threads, edges, [](std::size_t count) {
    nodes made(count + 1);
    for (std::size_t i = 1; i <= count; ++i) flow::make_edge(made.all.front(), made.all[i]);
    made.all.front().try_put({});
    made.graph.wait_for_all();
  });
}

contender onetbb::fan_in(const settings& wanted, std::size_t edges) {
  return in_arena(wanted.threads, edges, [](std::size_t count) {
    nodes made(count + 1);
    for (std::size_t i = 1; i <= count; ++i) flow::make_edge(made.all[i], made.all.front());
    for (std::size_t i = 1; i <= count; ++i) made.all[i].try_put({});
    made.graph.wait_for_all();
  });
}

}  // namespace hocket::bench
