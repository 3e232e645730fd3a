// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <deque>
#include <optional>
#include <vector>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

class flow final : public built_graph {
 public:
  flow(tbb::task_arena& arena, const shape& what) : arena_(arena) {
    arena_.execute([&] {
      graph_.emplace();
      for (std::size_t i = 0; i < what.size(); ++i) {
        nodes_.emplace_back(*graph_, [](const message&) {});
        if (what.first[i] == what.first[i + 1]) starts_.push_back(&nodes_.back());
        for (std::uint32_t at = what.first[i]; at < what.first[i + 1]; ++at) {
          tbb::flow::make_edge(nodes_[what.follows[at]], nodes_.back());
        }
      }
    });
  }

  void run() override {
    arena_.execute([&] {
      for (node* start : starts_) start->try_put(message());
      graph_->wait_for_all();
    });
  }

 private:
  using message = tbb::flow::continue_msg;
  using node = tbb::flow::continue_node<message>;

  tbb::task_arena& arena_;
  std::optional<tbb::flow::graph> graph_;
  std::deque<node> nodes_;
  std::vector<node*> starts_;
};

class counted final : public built_graph {
 public:
  counted(tbb::task_arena& arena, const shape& what) : arena_(arena), nodes_(what.size()) {
    for (std::uint32_t i = 0; i < what.size(); ++i) {
      nodes_[i].before = what.first[i + 1] - what.first[i];
      nodes_[i].left = nodes_[i].before;
      for (std::uint32_t at = what.first[i]; at < what.first[i + 1]; ++at) {
        nodes_[what.follows[at]].next.push_back(i);
      }
    }
  }

  // A group that nobody left waiting throws nothing.
  ~counted() noexcept override = default;

  void run() override {
    arena_.execute([&] {
      for (node& each : nodes_) {
        if (each.before == 0) start(each);
      }
      group_.wait();
    });
  }

 private:
  struct node {
    std::atomic<std::uint32_t> left{0};
    std::uint32_t before = 0;
    std::vector<std::uint32_t> next;
  };

  void start(node& which) {
    group_.run([this, &which] { run(which); });
  }

  /// Goes on with the first task that becomes ready, as one who writes this by hand would.
  void run(node& which) {
    for (node* now = &which; now != nullptr;) {
      // Nobody else counts it down before its predecessors run again.
      now->left.store(now->before, std::memory_order_relaxed);
      node* kept = nullptr;
      for (const std::uint32_t each : now->next) {
        // The last one to arrive acquires what the others released.
        if (nodes_[each].left.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
        if (kept != nullptr) start(*kept);
        kept = &nodes_[each];
      }
      now = kept;
    }
  }

  tbb::task_arena& arena_;
  std::vector<node> nodes_;
  tbb::task_group group_;
};

template <class Graph>
class maker final : public graph_maker {
 public:
  explicit maker(std::size_t threads) : arena_(static_cast<int>(threads)) {}
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<Graph>(arena_, what);
  }

 private:
  tbb::task_arena arena_;
};

}  // namespace

graph_subject onetbb::flow_graphs() {
  return {"tbb-flow", [](std::size_t threads) { return std::make_unique<maker<flow>>(threads); }};
}

graph_subject onetbb::task_groups() {
  return {"tbb-tasks",
          [](std::size_t threads) { return std::make_unique<maker<counted>>(threads); }};
}

}  // namespace hocket::bench
