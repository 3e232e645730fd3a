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

template <class Work>
class recorder_of_graphs final : public graph_maker {
 public:
  explicit recorder_of_graphs(const Work& work) : work_(work) {}
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<recorded_graph<Work>>(rt_, what, work_);
  }

 private:
  Work work_;
  runtime rt_;
};

template <class Work>
[[nodiscard]] graph_subject recorded_graphs(const Work& work) {
  return {"hocket",
          [work](std::size_t) { return std::make_unique<recorder_of_graphs<Work>>(work); }};
}

}  // namespace hocket::bench::ours
