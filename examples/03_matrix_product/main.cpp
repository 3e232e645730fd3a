// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// One product of matrices on all devices at once: its rows are cut into pieces that suit what each
// device can do, and each piece goes where it ends first.

#include <cstdio>
#include <stdexcept>
#include <vector>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

constexpr std::size_t rows = 1024, inner = 512, columns = 768;

/// The largest difference between C x and A (B x), which are the same but for rounding.
float difference(runtime& rt, const buffer<float, 2>& a, const buffer<float, 2>& b,
                 const buffer<float, 2>& c) {
  const buffer<float, 2> x{rt, {columns, 1}, "x"}, bx{rt, {inner, 1}, "B x"};
  const buffer<float, 2> cx{rt, {rows, 1}, "C x"};
  rt.submit(ops::random_uniform, 3U, 0U, writes(x));
  rt.submit(ops::gemm_nn, reads(b), reads(x), writes(bx));
  rt.submit(ops::gemm_nn, reads(c), reads(x), writes(cx));
  rt.submit(ops::gemm_nn, -1.0F, reads(a), reads(bx), 1.0F, updates(cx));
  return rt.submit(ops::max_magnitude, reads(cx)).get();
}

}  // namespace

int main() try {
  runtime rt;
  const buffer<float, 2> a{rt, {rows, inner}, "A"}, b{rt, {inner, columns}, "B"};
  const buffer<float, 2> c{rt, {rows, columns}, "C"};
  rt.submit(ops::random_uniform, 1U, 0U, writes(a));
  rt.submit(ops::random_uniform, 2U, 0U, writes(b));

  const std::vector<future<void>> pieces =
      split_rows(rt, {.least_rows = 64}, ops::gemm_nn, reads(a), whole(reads(b)), writes(c));
  wait_all(pieces);

  std::printf("%zu pieces\n", pieces.size());
  for (const device_report& each : rt.report().devices) {
    std::printf("%-10s %3llu kernels\n", each.name.c_str(),
                static_cast<unsigned long long>(each.kernels));
  }
  const float wrong_by = difference(rt, a, b, c);
  const float expected = 0.25F * inner * columns / 2;  // about what an element of C x is
  std::printf("relative difference %g\n", wrong_by / expected);
  if (!(wrong_by < 1e-4F * expected)) throw std::runtime_error("The product is wrong.");
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("03_matrix_product");
}
