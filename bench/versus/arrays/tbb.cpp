// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/task_arena.h>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

using range = tbb::blocked_range<const float*>;

range all_of(const host_arrays& a) { return {a.x.data(), a.x.data() + a.x.size(), 4096}; }

float sum(const host_arrays& a) {
  return tbb::parallel_reduce(
      all_of(a), 0.0F,
      [](const range& r, float before) { return std::reduce(r.begin(), r.end(), before); },
      std::plus<>());
}

float norm(const host_arrays& a) {
  return std::sqrt(tbb::parallel_reduce(
      all_of(a), 0.0F,
      [](const range& r, float before) {
        return std::transform_reduce(r.begin(), r.end(), r.begin(), before);
      },
      std::plus<>()));
}

float argmax(const host_arrays& a) {
  const float* const first = a.x.data();
  const auto larger = [](const float* p, const float* q) {
    return *p > *q || (*p == *q && p < q) ? p : q;
  };
  const float* const found = tbb::parallel_reduce(
      all_of(a), first,
      [&](const range& r, const float* before) {
        return larger(before, std::max_element(r.begin(), r.end()));
      },
      larger);
  return static_cast<float>(found - first);
}

void inclusive_scan(host_arrays& a) {
  float* const to = a.y.data();
  const float* const first = a.x.data();
  tbb::parallel_scan(
      all_of(a), 0.0F,
      [&](const range& r, float before, bool is_final) {
        if (!is_final) return std::reduce(r.begin(), r.end(), before);
        std::inclusive_scan(r.begin(), r.end(), to + (r.begin() - first), std::plus<>(), before);
        return to[r.end() - first - 1];
      },
      std::plus<>());
}

void transpose(host_arrays& a, std::size_t edge) {
  tbb::parallel_for(tbb::blocked_range2d<std::size_t>(0, edge, 32, 0, edge, 32),
                    [&](const tbb::blocked_range2d<std::size_t>& r) {
                      for (std::size_t j = r.cols().begin(); j < r.cols().end(); ++j) {
                        for (std::size_t i = r.rows().begin(); i < r.rows().end(); ++i) {
                          a.y[(j * edge) + i] = a.x[(i * edge) + j];
                        }
                      }
                    });
}

/// A generator of its own for each block.
void random_uniform(host_arrays& a) {
  constexpr std::size_t block = 65536;
  const std::size_t blocks = (a.y.size() + block - 1) / block;
  tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) {
    std::mt19937 random(static_cast<std::uint32_t>(b));
    const std::size_t end = std::min(a.y.size(), (b + 1) * block);
    for (std::size_t i = b * block; i < end; ++i) {
      a.y[i] = static_cast<float>(random() >> 8U) / (1U << 24U);
    }
  });
}

}  // namespace

contenders tbb_arrays(const array_job& job, std::size_t threads) {
  const auto made = [&](auto function) {
    return contenders{
        on_host("tbb", job,
                [arena = std::make_shared<tbb::task_arena>(static_cast<int>(threads)),
                 function](host_arrays& a) { arena->execute([&] { function(a); }); })};
  };
  switch (job.what) {
    case operation::sum:
      return made([](host_arrays& a) { a.result = sum(a); });
    case operation::norm:
      return made([](host_arrays& a) { a.result = norm(a); });
    case operation::argmax:
      return made([](host_arrays& a) { a.result = argmax(a); });
    case operation::inclusive_scan:
      return made(inclusive_scan);
    case operation::transpose:
      return made([edge = job.edge](host_arrays& a) { transpose(a, edge); });
    case operation::random_uniform:
      return made(random_uniform);
  }
  return {};
}

}  // namespace hocket::bench
