// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <cblas.h>
#include <algorithms.hpp>
#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

class solver {
 public:
  solver(const tiled_problem& what, const runtime_options& options, bool is_recorded)
      : rt_(options) {
    openblas_set_num_threads(1);  // tasks share the cores
    const bool is_cholesky = what.algorithm == tiled_algorithm::cholesky;
    algorithm_ = (is_cholesky ? tiled::make_cholesky : tiled::make_gemm_of_tiles)(rt_, what.tiles,
                                                                                  what.edge);
    if (is_recorded) graph_ = rt_.record([&](submitter& to) { algorithm_->submit(to); });
    for (std::size_t i = 0; i < runs_to_learn; ++i) (void)milliseconds_of_run();
    constexpr double most = 10;
    if (const double residual = algorithm_->residual(); !(residual <= most)) {
      throw std::runtime_error("The result is wrong: its residual is " + std::to_string(residual) +
                               ".");
    }
  }

  double milliseconds_of_run() {
    algorithm_->generate(rt_, rt_.device(rt_.devices().front().name));
    rt_.wait();
    return nanoseconds_of([&] {
             if (graph_) {
               rt_.run(*graph_);
             } else {
               algorithm_->submit(rt_);
             }
             rt_.wait();
           }) /
           1e6;
  }

 private:
  runtime rt_;
  std::unique_ptr<tiled::algorithm> algorithm_;
  std::optional<graph> graph_;
};

/// All that can run there runs on one device.
class on_one_device final : public placement_policy {
 public:
  explicit on_one_device(std::size_t device) : device_(device) {}

  std::size_t choose(const placement_task& task) override {
    const bool can = std::ranges::count(task.options, device_, &placement_option::device) > 0;
    return can ? device_ : task.options.front().device;
  }

 private:
  std::size_t device_;
};

std::size_t number_of(const std::string& device) {
  runtime rt;
  const std::vector<device_info>& all = rt.devices();
  return static_cast<std::size_t>(std::ranges::find(all, device, &device_info::name) - all.begin());
}

contender solved_by(const std::string& subject, const tiled_problem& what,
                    const runtime_options& options, bool is_recorded) {
  return {subject, [=] {
            const auto made = std::make_shared<solver>(what, options, is_recorded);
            return [made] { return made->milliseconds_of_run(); };
          }};
}

}  // namespace

contender hocket_tiled(const tiled_problem& what) { return solved_by("hocket", what, {}, false); }

contender hocket_tiled_graph(const tiled_problem& what) {
  return solved_by("graph-again", what, {}, true);
}

contender hocket_tiled_alone(const tiled_problem& what, const std::string& device,
                             const std::string& subject) {
  const auto alone = std::make_shared<on_one_device>(number_of(device));
  return solved_by(subject, what, {.own_policy = alone}, false);
}

}  // namespace hocket::bench
