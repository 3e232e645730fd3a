// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include <raw/opencl.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

// Eight rows of sixteen columns for each work-item: as fast as any that was tried on a processor.
constexpr const char* text = R"(
__kernel void multiply(uint n, __global const float* a, __global const float* b,
                       __global float* c) {
  const uint column = get_global_id(0) * 16, row = get_global_id(1) * 8;
  float16 sum[8];
  for (uint r = 0; r < 8; ++r) sum[r] = 0;
  for (uint k = 0; k < n; ++k) {
    const float16 values = vload16(0, b + k * n + column);
    for (uint r = 0; r < 8; ++r) sum[r] = fma((float16)(a[(row + r) * n + k]), values, sum[r]);
  }
  for (uint r = 0; r < 8; ++r) vstore16(sum[r], 0, c + (row + r) * n + column);
}
)";

struct job {
  explicit job(std::size_t size)
      : n(static_cast<cl_uint>(size)), multiply(api.build(text, "multiply")) {
    for (raw::memory& each : data) each = api.zeros(size * size * sizeof(float));
    raw::check(clSetKernelArg(multiply.get(), 0, sizeof n, &n), "clSetKernelArg");
    for (cl_uint i = 0; i < 3; ++i) {
      cl_mem where = data[i].get();
      raw::check(clSetKernelArg(multiply.get(), i + 1, sizeof where, &where), "clSetKernelArg");
    }
  }

  void run(std::size_t calls) {
    const std::size_t items[] = {n / 16, n / 8}, local[] = {2, 1};
    for (std::size_t i = 0; i < calls; ++i) {
      raw::check(clEnqueueNDRangeKernel(api.commands.get(), multiply.get(), 2, nullptr, items,
                                        local, 0, nullptr, nullptr),
                 "clEnqueueNDRangeKernel");
    }
    raw::check(clFinish(api.commands.get()), "clFinish");
  }

  raw::opencl api;
  cl_uint n;
  raw::kernel_object multiply;
  raw::memory data[3];
};

}  // namespace

contender opencl_gemm(const product& what) {
  return {"opencl", [what] {
            const auto made = std::make_shared<job>(what.size);
            return [made, what] {
              return nanoseconds_of([&] { made->run(what.calls); }) / 1e3 /
                     static_cast<double>(what.calls);
            };
          }};
}

}  // namespace hocket::bench
