// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Bursts of short tasks: what it gains that lanes of the CPU take more than two short kernels ahead
// (the same bursts on a device that does, and on one that is told not to), and what functions cost.

#include <memory>
#include <vector>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// Bursts on a CPU of that configuration: add(runtime, from, to) submits a task.
template <class Add>
contender bursts_with(const char* name, const char* configuration, load tasks, Add add) {
  return {name, [=]() -> sampler {
            const auto rt =
                std::make_shared<runtime>(runtime_options{.devices = "NUMA0",
                                                          .backends = {{"cpu", configuration}},
                                                          .data_tasks = data_path::placed});
            constexpr std::size_t elements = 16, outputs = 16;
            const buffer<float> x(*rt, elements, 1.0F);
            std::vector<buffer<float>> y;
            for (std::size_t i = 0; i < outputs; ++i) y.emplace_back(*rt, elements, 0.0F);
            return [rt, x, y, tasks, add] {
              const auto work = [&](std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) add(*rt, x, y[i % y.size()]);
                rt->wait();
              };
              return nanoseconds_of([&] { repeat(tasks, work); }) /
                     static_cast<double>(tasks.count);
            };
          }};
}

void add_by_kernel(runtime& rt, const buffer<float>& from, const buffer<float>& to) {
  rt.submit(ops::axpy, 0.5F, reads(from), updates(to));
}

void add_by_function(runtime& rt, const buffer<float>& from, const buffer<float>& to) {
  const auto axpy = [](float a, buffer_view<const float> x, buffer_view<float> y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
  };
  rt.submit(axpy, 0.5F, reads(from), updates(to));
}

}  // namespace

std::vector<contender> ours::short_functions(load tasks) {
  return {bursts_with("hocket", "", tasks, add_by_function)};
}

std::vector<contender> ours::short_kernels(load tasks) {
  return {bursts_with("hocket", "", tasks, add_by_kernel),
          bursts_with("two_ahead", "depth=2", tasks, add_by_kernel)};
}

}  // namespace hocket::bench
