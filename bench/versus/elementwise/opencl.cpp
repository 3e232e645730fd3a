// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <memory>

#include <raw/opencl.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

constexpr const char* text = R"(
__kernel void run(float a, float b, float c, __global const float* restrict x,
                  __global float* restrict y) {
  const size_t i = get_global_id(0);
  const float t = fmin(a * x[i] + b, c);
  y[i] += t * t + t;
}
)";

/// Of a group: as fast as any that was tried on a processor.
constexpr std::size_t local_size = 1024;

struct job {
  explicit job(std::size_t size)
      : count(size),
        run_chain(api.build(text, "run")),
        x(api.zeros(size * sizeof(float))),
        y(api.zeros(size * sizeof(float))) {
    const float numbers[] = {chain::a, chain::b, chain::c};
    cl_uint at = 0;
    for (const float& number : numbers) {
      raw::check(clSetKernelArg(run_chain.get(), at++, sizeof number, &number), "clSetKernelArg");
    }
    for (const raw::memory* each : {&x, &y}) {
      cl_mem where = each->get();
      raw::check(clSetKernelArg(run_chain.get(), at++, sizeof where, &where), "clSetKernelArg");
    }
  }

  void run(std::size_t calls) const {
    const std::size_t local = std::min(local_size, count);
    for (std::size_t i = 0; i < calls; ++i) {
      raw::check(clEnqueueNDRangeKernel(api.commands.get(), run_chain.get(), 1, nullptr, &count,
                                        &local, 0, nullptr, nullptr),
                 "clEnqueueNDRangeKernel");
    }
    raw::check(clFinish(api.commands.get()), "clFinish");
  }

  raw::opencl api;
  std::size_t count;
  raw::kernel_object run_chain;
  raw::memory x, y;
};

}  // namespace

contender opencl_kernel(const chain& what) {
  return {"opencl", [what] {
            const auto made = std::make_shared<job>(what.size);
            return [made, what] {
              return nanoseconds_of([&] { made->run(what.calls); }) / 1e3 /
                     static_cast<double>(what.calls);
            };
          }};
}

}  // namespace hocket::bench
