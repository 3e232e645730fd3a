// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/hocket.hpp>

namespace hocket::bench {

// The first two do next to nothing, so that what is measured is how their arguments come and go.

/// Reads one array.
[[nodiscard]] const kernel<in_buffer<float>>& look();
/// Replaces one array.
[[nodiscard]] const kernel<out_buffer<float>>& stamp();

/// Sixteen operations for each element.
inline const auto iterate = elementwise("iterate", [](const auto& x, auto& y) {
  auto v = x * 0.5F + 0.25F;
  for (int step = 1; step < 8; ++step) v = v * 0.5F + 0.25F;
  y = v;
});

/// The text of iterate in OpenCL C and in CUDA C, for the API alone.
extern const char* const iterate_opencl;
extern const char* const iterate_cuda;

}  // namespace hocket::bench
