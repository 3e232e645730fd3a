// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <vector>

#include <raw/starpu.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// Tasks that StarPU does not destroy keep their dependencies, so a graph is declared once. They
/// are submitted anew at each run.
class declared final : public built_graph {
 public:
  explicit declared(const shape& what) : nothing_(starpu_codelet_of([](void**, void*) {})) {
    tasks_.reserve(what.size());
    std::vector<starpu_task*> before;
    for (std::size_t i = 0; i < what.size(); ++i) {
      starpu_task* const made = starpu_task_create();
      made->cl = &nothing_;
      made->destroy = 0;
      before.clear();
      for (std::uint32_t at = what.first[i]; at < what.first[i + 1]; ++at) {
        before.push_back(tasks_[what.follows[at]]);
      }
      starpu_task_declare_deps_array(made, static_cast<unsigned>(before.size()), before.data());
      tasks_.push_back(made);
    }
  }

  ~declared() override {
    for (starpu_task* each : tasks_) starpu_task_destroy(each);
  }

  void run() override {
    const starpu_workers_awake workers;
    for (starpu_task* each : tasks_) starpu_submit(each);
    starpu_task_wait_for_all();
  }

 private:
  starpu_codelet nothing_;
  std::vector<starpu_task*> tasks_;
};

class maker final : public graph_maker {
 public:
  explicit maker(std::size_t threads) : session_(threads) {}
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<declared>(what);
  }

 private:
  starpu_session session_;
};

}  // namespace

graph_subject starpu::declared_dependencies() {
  return {"starpu", [](std::size_t threads) { return std::make_unique<maker>(threads); }};
}

}  // namespace hocket::bench
