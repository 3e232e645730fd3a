// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Graphs that are recorded once and run often: numbers that change from run to run, a graph as a
// part of another one, and a loop that is asked on the way whether to go on.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

constexpr std::size_t count = 1 << 14;

/// Newton's step for square roots: x is nearer to the root of a afterwards.
const auto improve = elementwise("improve", [](const auto& a, auto& x) { x = (x + a / x) * 0.5F; });

const auto distance = elementwise(
    "distance", [](const auto& a, const auto& x, auto& off) { off = abs(x * x - a) / a; });

/// Improves x until the worst relative error is at most the limit, 50 times at most.
graph record_roots(runtime& rt, const buffer<float>& a, const buffer<float>& x,
                   const run_parameter<float>& limit) {
  const buffer<float> off{rt, count, "off"}, worst{rt, 2, "worst"};  // worst: the error, the rounds
  const graph round = rt.record([&](submitter& s) {
    s.submit(improve, reads(a), updates(x));
    s.submit(distance, reads(a), reads(x), writes(off));
    s.submit(
        {.label = "worst"},
        [](buffer_view<const float> all, float most, buffer_view<float> to) {
          to(0) = *std::max_element(all.begin(), all.end()) - most;
          to(1) += 1;
        },
        reads(off), limit, updates(worst));
  });
  return rt.record([&](submitter& s) {
    s.submit(ops::fill, 1.0F, writes(x));
    s.submit(
        {.label = "begin"}, [](buffer_view<float> to) { to(0) = 1, to(1) = 0; }, writes(worst));
    s.run_while(when([](buffer_view<const float> w) { return w(0) > 0; }, reads(worst)), round, 50);
    s.submit(
        {.label = "print"}, [](buffer_view<const float> w) { std::printf("%g rounds\n", w(1)); },
        reads(worst));
  });
}

/// The worst relative error of the roots of 1, 2, 3, ...
float error_of(const buffer<float>& x) {
  const auto roots = x.read();
  float worst = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float exact = std::sqrt(static_cast<float>(i + 1));
    worst = std::max(worst, std::abs(roots(i) - exact) / exact);
  }
  return worst;
}

}  // namespace

int main() try {
  runtime rt;
  const buffer<float> a{rt, count, 1.0F, "a"}, x{rt, count, "x"};
  rt.submit(ops::inclusive_scan, reads(a), writes(a));  // 1, 2, 3, ...

  const run_parameter<float> limit{1e-1F, "limit"};
  const graph roots = record_roots(rt, a, x, limit);

  rt.run(roots);  // with the limit as it stands in the recording
  const float coarse = error_of(x);
  rt.run({.label = "fine"}, roots, {limit = 1e-6F});
  const float fine = error_of(x);
  std::printf("errors %g and %g\n", coarse, fine);
  if (!(coarse < 1e-1F && fine < 2e-6F && fine < coarse)) {
    throw std::runtime_error("The square roots are not as exact as the limits ask for.");
  }
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("09_loops");
}
