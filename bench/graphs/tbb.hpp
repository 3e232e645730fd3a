// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "subject.hpp"

namespace hocket::bench::onetbb {

/// flow::graph with a continue_node for each task.
template <class Work>
class flow_graph final : public built_graph {
 public:
  flow_graph(tbb::task_arena& arena, const shape& what, const Work& work) : arena_(arena) {
    arena_.execute([&] {
      graph_.emplace();
      for (std::size_t i = 0; i < what.size(); ++i) {
        nodes_.emplace_back(*graph_, [call = work.task(i)](const message&) { call(); });
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

/// task_group and a counter for each task, by hand.
template <class Work>
class counted_graph final : public built_graph {
 public:
  counted_graph(tbb::task_arena& arena, const shape& what, const Work& work)
      : arena_(arena), work_(work), nodes_(what.size()) {
    for (std::uint32_t i = 0; i < what.size(); ++i) {
      nodes_[i].before = what.first[i + 1] - what.first[i];
      nodes_[i].left = nodes_[i].before;
      for (std::uint32_t at = what.first[i]; at < what.first[i + 1]; ++at) {
        nodes_[what.follows[at]].next.push_back(i);
      }
    }
  }

  // A group that nobody left waiting throws nothing.
  ~counted_graph() noexcept override = default;

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
      work_.task(static_cast<std::size_t>(now - nodes_.data()))();
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
  [[no_unique_address]] Work work_;
  std::vector<node> nodes_;
  tbb::task_group group_;
};

template <class Graph, class Work>
class maker_in_arena final : public graph_maker {
 public:
  maker_in_arena(std::size_t threads, const Work& work)
      : work_(work), arena_(static_cast<int>(threads)) {}
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<Graph>(arena_, what, work_);
  }

 private:
  Work work_;
  tbb::task_arena arena_;
};

template <class Work>
[[nodiscard]] graph_subject flow_graphs(const Work& work) {
  return {"tbb-flow", [work](std::size_t threads) {
            return std::make_unique<maker_in_arena<flow_graph<Work>, Work>>(threads, work);
          }};
}

template <class Work>
[[nodiscard]] graph_subject counted_graphs(const Work& work) {
  return {"tbb-tasks", [work](std::size_t threads) {
            return std::make_unique<maker_in_arena<counted_graph<Work>, Work>>(threads, work);
          }};
}

}  // namespace hocket::bench::onetbb
