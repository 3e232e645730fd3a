// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <memory>
#include <string>

#include <raw/opencl.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

// As a library for one core does it, and as fast as any that was tried on a processor: a work-item
// packs a part of 32 columns, then goes over eight rows after another whose sums are in registers.
const std::string text = R"(
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void multiply(uint n, __global const float* a, __global const float* b, __global float* c) {
  const uint row = get_global_id(0) * 64, column = get_global_id(1) * 32;
  float16 packed[DEPTH * 2], sums[64 * 2];
  for (uint r = 0; r < 64 * 2; ++r) sums[r] = 0;
  for (uint k = 0; k < n; k += DEPTH) {
    for (uint l = 0; l < DEPTH; ++l) {
      packed[l * 2] = vload16(0, b + (k + l) * n + column);
      packed[l * 2 + 1] = vload16(1, b + (k + l) * n + column);
    }
    for (uint i = 0; i < 64; i += 8) {
      __global const float* from = a + (row + i) * n + k;
      float16 left[8], right[8];
      #pragma unroll
      for (uint r = 0; r < 8; ++r) {
        left[r] = sums[(i + r) * 2];
        right[r] = sums[(i + r) * 2 + 1];
      }
      for (ulong l = 0; l < DEPTH; ++l) {
        #pragma unroll
        for (uint r = 0; r < 8; ++r) {
          left[r] = fma((float16)(from[r * (ulong)n + l]), packed[l * 2], left[r]);
          right[r] = fma((float16)(from[r * (ulong)n + l]), packed[l * 2 + 1], right[r]);
        }
      }
      #pragma unroll
      for (uint r = 0; r < 8; ++r) {
        sums[(i + r) * 2] = left[r];
        sums[(i + r) * 2 + 1] = right[r];
      }
    }
  }
  for (uint r = 0; r < 64; ++r) {
    vstore16(sums[r * 2], 0, c + (row + r) * n + column);
    vstore16(sums[r * 2 + 1], 1, c + (row + r) * n + column);
  }
}
)";

std::string text_for(std::size_t size) {
  constexpr std::size_t most = 128;  // rows of a packed part, which stays in the nearest cache
  return "#define DEPTH " + std::to_string(std::min(size, most)) + "\n" + text;
}

struct job {
  explicit job(std::size_t size)
      : n(static_cast<cl_uint>(size)), multiply(api.build(text_for(size).c_str(), "multiply")) {
    for (raw::memory& each : data) each = api.zeros(size * size * sizeof(float));
    raw::check(clSetKernelArg(multiply.get(), 0, sizeof n, &n), "clSetKernelArg");
    for (cl_uint i = 0; i < 3; ++i) {
      cl_mem where = data[i].get();
      raw::check(clSetKernelArg(multiply.get(), i + 1, sizeof where, &where), "clSetKernelArg");
    }
  }

  void run(std::size_t calls) {
    const std::size_t items[] = {n / 64, n / 32}, local[] = {1, 1};
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
