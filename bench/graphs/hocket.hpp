// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <ranges>
#include <vector>

#include <hocket/hocket.hpp>

#include "subject.hpp"

namespace hocket::bench::ours {

/// A recorded graph of host tasks with explicit order.
template <class Work>
class recorded_graph final : public built_graph {
 public:
  recorded_graph(runtime& rt, const shape& what, const Work& work)
      : rt_(rt), recorded_(record(rt, what, work)) {}
  void run() override { rt_.run(recorded_).get(); }

 private:
  static graph record(runtime& rt, const shape& what, const Work& work) {
    return rt.record({.tasks = what.size()}, [&](submitter& s) {
      std::vector<future<void>> tasks;
      tasks.reserve(what.size());
      const auto task = [&tasks](std::uint32_t i) -> const future<void>& { return tasks[i]; };
      for (std::size_t i = 0; i < what.size(); ++i) {
        tasks.push_back(s.async(what.before(i) | std::views::transform(task), work.task(i)));
      }
    });
  }

  runtime& rt_;
  graph recorded_;
};

/// The same tasks, submitted one by one at each run, each after futures of others.
template <class Work>
class submitted_tasks final : public built_graph {
 public:
  submitted_tasks(runtime& rt, const shape& what, const Work& work)
      : rt_(rt), what_(what), work_(work) {}

  void run() override {
    std::vector<future<void>> tasks;
    tasks.reserve(what_.size());
    const auto task = [&tasks](std::uint32_t i) -> const future<void>& { return tasks[i]; };
    for (std::size_t i = 0; i < what_.size(); ++i) {
      tasks.push_back(rt_.async(what_.before(i) | std::views::transform(task), work_.task(i)));
    }
    rt_.wait();
  }

 private:
  runtime& rt_;
  const shape& what_;
  [[no_unique_address]] Work work_;
};

/// Makes graphs of one of the kinds above for its runtime.
template <template <class> class Graph, class Work>
class maker_in_runtime final : public graph_maker {
 public:
  explicit maker_in_runtime(const Work& work) : work_(work) {}
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<Graph<Work>>(rt_, what, work_);
  }

 private:
  Work work_;
  runtime rt_;
};

template <class Work>
[[nodiscard]] graph_subject recorded_graphs(const Work& work) {
  return {"hocket", [work](std::size_t) {
            return std::make_unique<maker_in_runtime<recorded_graph, Work>>(work);
          }};
}

template <class Work>
[[nodiscard]] graph_subject tasks_after_futures(const Work& work) {
  return {"hocket_async",
          [work](std::size_t) {
            return std::make_unique<maker_in_runtime<submitted_tasks, Work>>(work);
          },
          false};
}

}  // namespace hocket::bench::ours
