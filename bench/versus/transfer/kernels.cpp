// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "kernels.hpp"

namespace hocket::bench {

namespace {

grid one_item(const launch_shape&) { return {1, 1, 1}; }

launch_work no_work(const launch_shape&) { return {0, 0}; }

}  // namespace

const kernel<in_buffer<float>>& look() {
  static const auto made =
      kernel<in_buffer<float>>{"look", host_body{[](buffer_view<const float>) {}}}
          .cost(no_work)
          .with(cuda_c{"x", "", {1, 1, 1}, one_item})
          .with(opencl_c{"x", "", {1, 1, 1}, one_item})
          .with(glsl{"x", "", {1, 1, 1}, one_item});
  return made;
}

const kernel<out_buffer<float>>& stamp() {
  constexpr const char* text = "if (ITEM(0) == 0u) x(0u) = AS(f32, 1);";
  static const auto made =
      kernel<out_buffer<float>>{"stamp", host_body{[](buffer_view<float> x) { x(0) = 1; }}}
          .cost(no_work)
          .with(cuda_c{"x", text, {1, 1, 1}, one_item})
          .with(opencl_c{"x", text, {1, 1, 1}, one_item})
          .with(glsl{"x", text, {1, 1, 1}, one_item});
  return made;
}

#define HOCKET_BENCH_ITERATE(item)                                                            \
  "const size_t i = " item                                                                    \
  ";\n"                                                                                       \
  "float v = x[i];\n"                                                                         \
  "v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f;\n" \
  "v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f;\n" \
  "y[i] = v;\n"

const char* const iterate_opencl =
    "__kernel void iterate(__global const float* x, __global float* y) {\n"  //
    HOCKET_BENCH_ITERATE("get_global_id(0)") "}\n";

const char* const iterate_cuda =
    "extern \"C\" __global__ void iterate(const float* x, float* y) {\n"  //
    HOCKET_BENCH_ITERATE("blockIdx.x * (size_t)blockDim.x + threadIdx.x") "}\n";

#undef HOCKET_BENCH_ITERATE

}  // namespace hocket::bench
