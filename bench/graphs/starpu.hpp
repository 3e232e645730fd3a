// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <vector>

#include <raw/starpu.hpp>

#include "subject.hpp"

namespace hocket::bench::starpu {

/// Tasks that StarPU does not destroy keep their dependencies, so a graph is declared once. They
/// are submitted anew at each run.
template <class Work>
class declared_graph final : public built_graph {
 public:
  declared_graph(const shape& what, const Work& work) : codelet_(starpu_codelet_of(&call)) {
    calls_.reserve(what.size());
    tasks_.reserve(what.size());
    std::vector<starpu_task*> before;
    for (std::size_t i = 0; i < what.size(); ++i) {
      calls_.push_back(work.task(i));
      starpu_task* const made = starpu_task_create();
      made->cl = &codelet_;
      made->cl_arg = &calls_.back();
      made->destroy = 0;
      before.clear();
      for (std::uint32_t at = what.first[i]; at < what.first[i + 1]; ++at) {
        before.push_back(tasks_[what.follows[at]]);
      }
      starpu_task_declare_deps_array(made, static_cast<unsigned>(before.size()), before.data());
      tasks_.push_back(made);
    }
  }

  ~declared_graph() override {
    for (starpu_task* each : tasks_) starpu_task_destroy(each);
  }

  void run() override {
    const starpu_workers_awake workers;
    for (starpu_task* each : tasks_) starpu_submit(each);
    starpu_task_wait_for_all();
  }

 private:
  using function = decltype(std::declval<const Work&>().task(0));

  static void call(void**, void* argument) { (*static_cast<const function*>(argument))(); }

  starpu_codelet codelet_;
  std::vector<function> calls_;
  std::vector<starpu_task*> tasks_;
};

template <class Work>
class declarer final : public graph_maker {
 public:
  declarer(std::size_t threads, const Work& work) : session_(threads), work_(work) {}
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<declared_graph<Work>>(what, work_);
  }

 private:
  starpu_session session_;
  Work work_;
};

template <class Work>
[[nodiscard]] graph_subject declared_graphs(const Work& work) {
  return {"starpu",
          [work](std::size_t threads) { return std::make_unique<declarer<Work>>(threads, work); }};
}

}  // namespace hocket::bench::starpu
