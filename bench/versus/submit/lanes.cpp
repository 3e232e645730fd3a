// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// What it gains that lanes of the CPU take more than two short kernels ahead: the same bursts on a
// device that does, and on one that is told not to.

#include <memory>
#include <vector>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

contender bursts_with(const char* name, const char* configuration, load tasks) {
  return {name, [=]() -> sampler {
            const auto rt =
                std::make_shared<runtime>(runtime_options{.devices = "NUMA0",
                                                          .backends = {{"cpu", configuration}},
                                                          .data_tasks = data_path::placed});
            constexpr std::size_t elements = 16, outputs = 16;
            const buffer<float> x(*rt, elements, 1.0F);
            std::vector<buffer<float>> y;
            for (std::size_t i = 0; i < outputs; ++i) y.emplace_back(*rt, elements, 0.0F);
            return [rt, x, y, tasks] {
              const auto work = [&](std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) {
                  rt->submit(ops::axpy, 0.5F, reads(x), updates(y[i % y.size()]));
                }
                rt->wait();
              };
              return nanoseconds_of([&] { repeat(tasks, work); }) /
                     static_cast<double>(tasks.count);
            };
          }};
}

/// The axpy of short_kernels as a function that each task brings.
contender bursts_of_functions(load tasks) {
  return {
      "hocket", [=]() -> sampler {
        const auto rt = std::make_shared<runtime>(
            runtime_options{.devices = "NUMA0", .data_tasks = data_path::placed});
        constexpr std::size_t elements = 16, outputs = 16;
        const buffer<float> x(*rt, elements, 1.0F);
        std::vector<buffer<float>> y;
        for (std::size_t i = 0; i < outputs; ++i) y.emplace_back(*rt, elements, 0.0F);
        return [rt, x, y, tasks] {
          const auto work = [&](std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) {
              const auto axpy = [](float a, buffer_view<const float> from, buffer_view<float> to) {
                for (std::size_t k = 0; k < to.size(); ++k) to[k] += a * from[k];
              };
              rt->submit(axpy, 0.5F, reads(x), updates(y[i % y.size()]));
            }
            rt->wait();
          };
          return nanoseconds_of([&] { repeat(tasks, work); }) / static_cast<double>(tasks.count);
        };
      }};
}

}  // namespace

std::vector<contender> ours::short_functions(load tasks) { return {bursts_of_functions(tasks)}; }

std::vector<contender> ours::short_kernels(load tasks) {
  return {bursts_with("hocket", "", tasks), bursts_with("two_ahead", "depth=2", tasks)};
}

}  // namespace hocket::bench
