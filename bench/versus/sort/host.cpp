// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// As random as those of ops::random_uniform.
template <class T>
std::vector<T> random_elements(std::size_t size) {
  std::vector<T> made(size);
  std::mt19937 random(1);
  for (T& each : made) {
    each = static_cast<T>(random());
    if constexpr (std::is_floating_point_v<T>) each /= 4294967296;
  }
  return made;
}

template <class T, class Sort>
sampler samples_of(std::size_t size, const Sort& sort) {
  return [given = random_elements<T>(size), sort] {
    std::vector<T> x = given;
    return nanoseconds_of([&] { sort(x); }) / 1e6;
  };
}

}  // namespace

template <class T>
contender std_sort(std::size_t size) {
  return {"std", [=] {
            return samples_of<T>(size, [](std::vector<T>& x) { std::sort(x.begin(), x.end()); });
          }};
}

template <class T>
contender tbb_sort(std::size_t size, std::size_t threads) {
  return {"tbb", [=] {
            const auto arena = std::make_shared<tbb::task_arena>(static_cast<int>(threads));
            return samples_of<T>(size, [arena](std::vector<T>& x) {
              arena->execute([&] { tbb::parallel_sort(x.begin(), x.end()); });
            });
          }};
}

template contender std_sort<float>(std::size_t);
template contender std_sort<std::uint32_t>(std::size_t);
template contender tbb_sort<float>(std::size_t, std::size_t);
template contender tbb_sort<std::uint32_t>(std::size_t, std::size_t);

}  // namespace hocket::bench
