// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A library that enqueues kernels of its own: CLBlast.

#include <stdexcept>
#include <string>

#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

class clblast : public kernels_on_devices {};

using blas_product =
    kernel<float, in_buffer<float, 2>, in_buffer<float, 2>, inout_buffer<float, 2>>;

/// C += alpha A B.
const blas_product multiply = blas_product{"clblast gemm"}.with(
    opencl_body{[](const opencl_place& on, float alpha, native_view<const float, 2> a,
                   native_view<const float, 2> b, native_view<float, 2> c) {
      cl_command_queue queue = on.queue;
      const auto answer = CLBlastSgemm(
          CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, c.extent(0), c.extent(1),
          a.extent(1), alpha, a.object<cl_mem>(), a.first(), a.stride(0), b.object<cl_mem>(),
          b.first(), b.stride(0), 1, c.object<cl_mem>(), c.first(), c.stride(0), &queue, nullptr);
      if (answer != CLBlastSuccess) {
        throw std::runtime_error("CLBlast says " + std::to_string(answer));
      }
    }});

TEST_F(clblast, multiplies_tiles_between_other_kernels) {
  constexpr std::size_t edge = 96;
  for_each_device([&] {
    runtime rt({.devices = name()});
    const task_options on{.on = rt.device(name())};
    if (!name().starts_with("OpenCL")) {
      const buffer<float, 2> x{rt, {edge, edge}, 0.0f, "x"}, y{rt, {edge, edge}, 0.0f, "y"};
      EXPECT_THROW(rt.submit(on, multiply, 1.0f, reads(x), reads(x), updates(y)), usage_error);
      return;
    }
    std::vector<float> numbers(edge * edge);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7);
    const buffer<float, 2> a{rt, {edge, edge}, std::span<const float>(numbers), "a"};
    const buffer<float, 2> c{rt, {edge, edge}, "c"}, expected{rt, {edge, edge}, "expected"};
    const shape<2> tile{edge / 2, edge / 3};
    rt.submit(on, ops::fill, 1.0f, writes(c));
    rt.submit(on, ops::fill, 1.0f, writes(expected));
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const auto part = [&](const buffer<float, 2>& of) {
          return of.tile({i * tile[0], j * tile[1]}, {(i + 1) * tile[0], (j + 1) * tile[1]});
        };
        const auto row = a.tile({i * tile[0], 0}, {(i + 1) * tile[0], edge});
        const auto column = a.tile({0, j * tile[1]}, {edge, (j + 1) * tile[1]});
        rt.submit(on, multiply, 2.0f, reads(row), reads(column), updates(part(c)));
        rt.submit(on, ops::gemm_nn, reads(row), reads(column), writes(part(expected)));
      }
    }
    const auto check = elementwise(
        "check", [](const auto& found, auto& wanted) { wanted = found - (2.0f * wanted + 1.0f); });
    rt.submit(on, check, reads(c), updates(expected));
    for (const float difference : expected.to_vector()) ASSERT_EQ(difference, 0.0f);
  });
}

}  // namespace
}  // namespace hocket::testing
