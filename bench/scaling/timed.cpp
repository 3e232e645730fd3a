// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Devices that wait for the modelled time on real threads, beside peers whose workers sleep.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <hocket/hocket.hpp>

#include <versus/taskbench/patterns.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

constexpr std::size_t columns_of_device = 8;
constexpr std::size_t steps = 12;
constexpr std::size_t steps_when_quick = 2;
constexpr double flops_of_task = 2e6;
constexpr const char* device_options = "flops=1G,execute=no";  // so that a task takes 2 ms

/// The type itself, for every number: repeats a type in a pack.
template <class T, std::size_t>
using repeated = T;

/// A buffer for each task, which it writes; it reads those of the tasks that it follows.
class placed_graph final : public built_graph {
 public:
  placed_graph(runtime& rt, const shape& what) : rt_(rt), what_(what) {
    for (std::size_t i = 0; i < what.size(); ++i) results_.emplace_back(rt, shape_of_result);
  }

  void run() override {
    for (std::size_t i = 0; i < what_.size(); ++i) {
      const bool done = submit_if(std::make_index_sequence<0>(), i) ||
                        submit_if(std::make_index_sequence<1>(), i) ||
                        submit_if(std::make_index_sequence<2>(), i) ||
                        submit_if(std::make_index_sequence<3>(), i);
      if (!done) throw std::logic_error("No kernel reads so many results.");
    }
    rt_.wait();
  }

 private:
  static constexpr hocket::shape<1> shape_of_result{16};

  template <std::size_t... Read>
  bool submit_if(std::index_sequence<Read...> /*read*/, std::size_t task) {
    static const auto wait = kernel<repeated<in_buffer<float>, Read>..., out_buffer<float>>{
        "wait", host_body{[](const auto&...) {
        }}}.cost([](const launch_shape&) {
      return launch_work{flops_of_task, 0};
    });
    const auto before = what_.before(task);
    if (before.size() != sizeof...(Read)) return false;
    rt_.submit(wait, reads(results_[before[Read]])..., writes(results_[task]));
    return true;
  }

  runtime& rt_;
  const shape& what_;
  std::vector<buffer<float>> results_;
};

class timed_wait_devices final : public graph_maker {
 public:
  explicit timed_wait_devices(std::size_t devices) : rt_(options_of(devices)) {}
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<placed_graph>(rt_, what);
  }

 private:
  static runtime_options options_of(std::size_t devices) {
    std::string names = "Sim0";
    for (std::size_t i = 1; i < devices; ++i) names += fmt::format(",Sim{}", i);
    return {.devices = names, .backends = {{"sim", fmt::format("{},{}", devices, device_options)}}};
  }

  runtime rt_;
};

/// The parts of a sample, in the order in which they are made.
struct prepared_graph {
  prepared_graph(const graph_subject& subject, std::size_t devices, shape of)
      : what(std::move(of)), maker(subject.start(devices)), graph(maker->build(what)) {}

  const shape what;
  std::unique_ptr<graph_maker> maker;
  std::unique_ptr<built_graph> graph;
};

contender contender_of(const graph_subject& subject, std::size_t devices, const shape& what) {
  return {subject.name, [=] {
            const auto home = std::make_shared<prepared_graph>(subject, devices, what);
            const std::chrono::duration<double, std::nano> ideal =
                waiting_time * (static_cast<double>(what.size()) / static_cast<double>(devices));
            return [=] { return nanoseconds_of([&] { home->graph->run(); }) / ideal.count(); };
          }};
}

std::vector<graph_subject> subjects_for(std::size_t devices) {
  std::vector<graph_subject> all{
      {"hocket", [](std::size_t n) { return std::make_unique<timed_wait_devices>(n); }},
      onetbb::waiting_graphs()};
#ifdef HOCKET_BENCH_STARPU
  if (devices <= starpu::most_workers()) all.push_back(starpu::waiting_graphs());
#endif
  return all;
}

}  // namespace

std::vector<comparison> timed_comparisons(const settings& wanted) {
  std::vector<comparison> all;
  for (const auto& [name, pattern] :
       {std::pair{"timed independent", "trivial"}, std::pair{"timed stencil", "stencil_1d"}}) {
    for (const std::size_t devices : {1U, 2U, 4U, 8U}) {
      const std::vector<shape> patterns =
          task_bench_patterns(columns_of_device * devices, wanted.quick ? steps_when_quick : steps);
      const auto what = std::ranges::find(patterns, pattern, &shape::name);
      comparison made{name, fmt::format("devices_{}", devices), "of the ideal", wanted.threads, {}};
      made.size = devices;
      for (const graph_subject& each : subjects_for(devices)) {
        made.contenders.push_back(contender_of(each, devices, *what));
      }
      all.push_back(std::move(made));
    }
  }
  return all;
}

}  // namespace hocket::bench
