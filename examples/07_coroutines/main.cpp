// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Coroutines read like sequential code and keep no thread while they wait. Here each finds the
// largest eigenvalue of a matrix by iteration; several do so side by side.

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

const auto scale =
    elementwise("scale", [](const auto& from, auto by, auto& to) { to = from * by; });

struct answer {
  float value = 0;
  int rounds = 0;
};

/// Parameters that outlive the caller are passed by value; a buffer is a handle. g++ 12 needs a
/// future that is awaited to be made in a statement of its own.
future<answer> largest_eigenvalue(runtime& rt, buffer<float, 2> a) {
  const std::size_t n = a.extents()[0];
  const buffer<float, 2> x{rt, {n, 1}, "x"}, next{rt, {n, 1}, "A x"};
  rt.submit(ops::random_uniform, 7U, 0U, writes(x));

  answer found;
  for (float change = 1; change > 1e-6F && found.rounds < 100; ++found.rounds) {
    rt.submit(ops::gemm_nn, reads(a), reads(x), writes(next));
    const future<float> length = rt.submit(ops::norm, reads(next));
    const float value = co_await length;
    rt.submit(scale, reads(next), 1 / value, writes(x));
    change = std::abs(value - found.value) / value;
    found.value = value;
  }
  co_return found;
}

/// Ones, and one more on the diagonal: its eigenvalues are n + 1 and, n - 1 times, 1.
buffer<float, 2> example_of(runtime& rt, std::size_t n) {
  const buffer<float, 2> a{rt, {n, n}, 1.0F, "A"};
  rt.submit(
      {.label = "diagonal"},
      [](buffer_view<float, 2> all) {
        for (std::size_t i = 0; i < all.extent(0); ++i) all(i, i) = 2;
      },
      updates(a));
  return a;
}

}  // namespace

int main() try {
  runtime rt;
  const std::vector<std::size_t> sizes = {10, 50, 100, 200};
  std::vector<future<answer>> answers;
  for (const std::size_t n : sizes) answers.push_back(largest_eigenvalue(rt, example_of(rt, n)));

  const auto& all = when_all(answers).get();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto expected = static_cast<float>(sizes[i] + 1);
    std::printf("%3zu: %g after %d rounds\n", sizes[i], all[i].value, all[i].rounds);
    if (!(std::abs(all[i].value - expected) < 1e-4F * expected)) {
      throw std::runtime_error("The largest eigenvalue is not the size of the matrix plus one.");
    }
  }
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("07_coroutines");
}
