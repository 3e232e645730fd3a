// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <deque>
#include <memory>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

namespace flow = tbb::flow;
using message = flow::continue_msg;

/// Calls work(n) in an arena, for all tasks.
template <class Work>
contender of_arena(const char* name, load tasks, std::size_t threads, Work work) {
  return {name, [=] {
            const auto arena = std::make_shared<tbb::task_arena>(static_cast<int>(threads));
            return [=] {
              const auto inside = [&] { arena->execute([&] { repeat(tasks, work); }); };
              return nanoseconds_of(inside) / static_cast<double>(tasks.count);
            };
          }};
}

/// A graph of one node that runs a task for each message, as many at once as there are threads.
struct one_node {
  flow::graph graph;
  flow::function_node<message, message> node{graph, flow::unlimited,
                                             [](const message& m) { return m; }};
};

}  // namespace

contender onetbb::host_tasks(const settings& wanted, load tasks) {
  return of_arena("tbb", tasks, wanted.threads, [](std::size_t count) {
    tbb::task_group group;
    for (std::size_t i = 0; i < count; ++i) group.run([] {});
    group.wait();
  });
}

contender onetbb::round_trip(const settings& wanted) {
  return of_arena("tbb", all_at_once(counts_for(wanted).round_trips), wanted.threads,
                  [](std::size_t count) {
                    tbb::task_group group;
                    for (std::size_t i = 0; i < count; ++i) {
                      group.run([] {});
                      group.wait();
                    }
                  });
}

contender onetbb::flow_tasks(const settings& wanted, load tasks) {
  return of_arena("tbb-flow", tasks, wanted.threads, [](std::size_t count) {
    one_node all;
    for (std::size_t i = 0; i < count; ++i) all.node.try_put({});
    all.graph.wait_for_all();
  });
}

contender onetbb::flow_round_trip(const settings& wanted) {
  return of_arena("tbb-flow", all_at_once(counts_for(wanted).round_trips), wanted.threads,
                  [](std::size_t count) {
                    one_node all;
                    for (std::size_t i = 0; i < count; ++i) {
                      all.node.try_put({});
                      all.graph.wait_for_all();
                    }
                  });
}

contender onetbb::flow_chain(const settings& wanted, load tasks) {
  return of_arena("tbb-flow", tasks, wanted.threads, [](std::size_t count) {
    flow::graph graph;
    std::deque<flow::continue_node<message>> nodes;
    for (std::size_t i = 0; i < count; ++i) {
      nodes.emplace_back(graph, [](const message& m) { return m; });
      if (i > 0) flow::make_edge(nodes[i - 1], nodes[i]);
    }
    nodes.front().try_put({});
    graph.wait_for_all();
  });
}

}  // namespace hocket::bench
