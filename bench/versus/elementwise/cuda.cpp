// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <memory>

#include <raw/cuda.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

constexpr const char* text = R"(
extern "C" __global__ void run(float a, float b, float c, const float* __restrict__ x,
                               float* __restrict__ y) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  const float t = fminf(a * x[i] + b, c);
  y[i] += t * t + t;
}
)";

constexpr std::size_t items_of_group = 256;

struct job {
  explicit job(std::size_t size)
      : count(size), x(api.zeros(size * sizeof(float))), y(api.zeros(size * sizeof(float))) {}

  void run(std::size_t calls) {
    float a = chain::a, b = chain::b, c = chain::c;
    void* arguments[] = {&a, &b, &c, &x, &y};
    const std::size_t items = std::min(items_of_group, count);
    for (std::size_t i = 0; i < calls; ++i) api.launch(run_chain, count / items, items, arguments);
    api.wait();
  }

  raw::cuda_program api;
  std::size_t count;
  cuda::function_handle run_chain = api.build(text, "run");
  cuda::device_address x, y;
};

}  // namespace

contender cuda_kernel(const chain& what) {
  return {"cuda", [what] {
            const auto made = std::make_shared<job>(what.size);
            return [made, what] {
              return nanoseconds_of([&] { made->run(what.calls); }) / 1e3 /
                     static_cast<double>(what.calls);
            };
          }};
}

}  // namespace hocket::bench
