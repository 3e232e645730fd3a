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
          .with(opencl_c{"x", "", {1, 1, 1}, one_item})
          .with(glsl{"x", "", {1, 1, 1}, one_item});
  return made;
}

const kernel<out_buffer<float>>& stamp() {
  constexpr const char* text = "if (ITEM(0) == 0u) x(0u) = AS(f32, 1);";
  static const auto made =
      kernel<out_buffer<float>>{"stamp", host_body{[](buffer_view<float> x) { x(0) = 1; }}}
          .cost(no_work)
          .with(opencl_c{"x", text, {1, 1, 1}, one_item})
          .with(glsl{"x", text, {1, 1, 1}, one_item});
  return made;
}

const char* const iterate_text = R"(
__kernel void iterate(__global const float* x, __global float* y) {
  const size_t i = get_global_id(0);
  float v = x[i];
  v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f;
  v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f; v = v * 0.5f + 0.25f;
  y[i] = v;
}
)";

}  // namespace hocket::bench
