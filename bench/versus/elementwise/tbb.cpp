// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <memory>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct numbers {
  float a = chain::a, b = chain::b, c = chain::c;
};

[[gnu::always_inline]] inline void any_loop(const numbers& with, const float* __restrict x,
                                            float* __restrict y, std::size_t count) {
  const auto [a, b, c] = with;
  for (std::size_t i = 0; i < count; ++i) {
    const float t = std::min(a * x[i] + b, c);
    y[i] += t * t + t;
  }
}

// The numbers are as little known to the compiler as they are to ours.
[[gnu::noinline]] void loop(const numbers& with, const float* x, float* y, std::size_t count) {
  any_loop(with, x, y, count);
}

#if defined(__x86_64__)
[[gnu::noinline, gnu::target("avx2")]] void wide_loop(const numbers& with, const float* x, float* y,
                                                      std::size_t count) {
  any_loop(with, x, y, count);
}
bool has_wide_loop() { return __builtin_cpu_supports("avx2"); }
#else
constexpr auto wide_loop = loop;
bool has_wide_loop() { return true; }
#endif

/// From how many elements on threads help: below it, one is done before the others have started.
constexpr std::size_t worth_threads = 1 << 17;
constexpr std::size_t grain = 32768;

}  // namespace

contender tbb_loop(const chain& what, std::size_t threads, bool wide) {
  const auto loop_of = wide && has_wide_loop() ? wide_loop : loop;
  return {wide ? "tbb_wide" : "tbb", [what, threads, loop_of] {
            const auto arena = std::make_shared<tbb::task_arena>(static_cast<int>(threads));
            const std::vector<float> x(what.size, 0.5F);
            return [=, y = std::vector<float>(what.size)]() mutable {
              const auto call = [&] {
                if (what.size < worth_threads) {
                  loop_of({}, x.data(), y.data(), what.size);
                  return;
                }
                tbb::parallel_for(tbb::blocked_range<std::size_t>(0, what.size, grain),
                                  [&](const tbb::blocked_range<std::size_t>& range) {
                                    loop_of({}, x.data() + range.begin(), y.data() + range.begin(),
                                            range.size());
                                  });
              };
              const auto work = [&] {
                arena->execute([&] {
                  for (std::size_t i = 0; i < what.calls; ++i) call();
                });
              };
              return nanoseconds_of(work) / 1e3 / static_cast<double>(what.calls);
            };
          }};
}

}  // namespace hocket::bench
