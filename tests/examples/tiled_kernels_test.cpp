// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <cmath>

#include "each_text.hpp"
#include "kernels.hpp"
#include "tile_matrix.hpp"

namespace examples_test {

namespace {

using namespace hocket;

/// PoCL takes seconds to compile a product for GPUs: one of those that differ in macros is enough.
enum class texts { all, without_opencl_for_gpus };

bool is_opencl_for_gpus(const device_info& info, const std::vector<device_style>& styles) {
  return info.backend == "opencl" && styles == std::vector{device_style::gpu};
}

/// Of one tile, given the same numbers each time.
class TiledKernels : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] buffer<float, 2> tile(std::uint32_t seed) {
    std::vector<float> values;
    const tiled::content numbers{.seed = seed, .diagonal = 3};
    for (std::size_t i = 0; i < GetParam() * GetParam(); ++i) {
      values.push_back(numbers.at(i % GetParam(), i / GetParam()));
    }
    return {rt_, {GetParam(), GetParam()}, std::span<const float>(values)};
  }

  /// Compares all texts of a kernel with its C++; submit(kernel, options, c) changes c.
  template <class Kernel, class Submit>
  void compare(const Kernel& kernel, texts which, bool lower_only, const Submit& submit) {
    const buffer<float, 2> expected = tile(3);
    submit(kernel, task_options{.on = rt_.device("NUMA0")}, expected);
    for (const auto& each : each_text(rt_, kernel)) {
      if (which != texts::all && is_opencl_for_gpus(each.info, each.styles)) continue;
      const buffer<float, 2> c = tile(3);
      submit(each.only, task_options{.on = each.on}, c);
      const auto found = c.read(), right = expected.read();
      for (std::size_t q = 0; q < GetParam(); ++q) {
        for (std::size_t p = lower_only ? q : 0; p < GetParam(); ++p) {
          ASSERT_NEAR(found(q, p), right(q, p), 1e-4 * (1 + std::abs(right(q, p))))
              << each.info.name << ", row " << p << ", column " << q;
        }
      }
    }
  }

  runtime rt_;
};

TEST_P(TiledKernels, ProductsAreRight) {
  const buffer<float, 2> a = tile(1), b = tile(2);
  const auto multiply = [&](const auto& gemm, const task_options& how, const auto& c) {
    rt_.submit(how, gemm, -1.0F, reads(a), reads(b), updates(c));
  };
  compare(tiled::make_gemm(true), texts::all, false, multiply);
  compare(tiled::make_gemm(false), texts::without_opencl_for_gpus, false, multiply);
  compare(tiled::make_syrk(), texts::without_opencl_for_gpus, true,
          [&](const auto& syrk, const task_options& how, const auto& c) {
            rt_.submit(how, syrk, reads(a), updates(c));
          });
}

TEST_P(TiledKernels, TriangularSolvesAreRight) {
  // Small factors, so that solutions do not grow from element to element.
  const buffer<float, 2> t = tile(1);
  rt_.submit(
      [](buffer_view<float, 2> v) {
        for (float& each : v) each /= 8;
      },
      updates(t));
  using tiled::triangular_system;
  for (const auto solved : {triangular_system::x_lower_transposed, triangular_system::x_upper,
                            triangular_system::unit_lower_x}) {
    compare(tiled::make_trsm(solved), texts::all, false,
            [&](const auto& trsm, const task_options& how, const auto& x) {
              rt_.submit(how, trsm, reads(t), updates(x));
            });
  }
}

// Of part of a block, and of more than one.
INSTANTIATE_TEST_SUITE_P(, TiledKernels, testing::Values(5, 70));

}  // namespace

}  // namespace examples_test
