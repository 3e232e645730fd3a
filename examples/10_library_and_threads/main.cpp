// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A library that uses Hocket inside, and a program that does not know that and calls the library
// from several threads of its own.

#include <cmath>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <vector>

#include "common/ending.hpp"
#include "statistics.hpp"

namespace {

constexpr std::size_t threads = 6, calls = 5;

/// Returns how many calls give the moments of t, t + 1, t, t + 1, ...
std::size_t count_right_calls(const statistics::calculator* shared, std::size_t t) {
  std::vector<float> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(t + i % 2);
  const double mean = static_cast<double>(t) + 0.5;
  std::size_t right = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    const statistics::moments m = shared->moments_of(values);
    if (std::abs(m.mean - mean) < 1e-4 && std::abs(m.variance - 0.25) < 1e-4) ++right;
  }
  return right;
}

}  // namespace

int main() try {
  const statistics::calculator shared;
  std::vector<std::future<std::size_t>> counts;  // they rethrow here what a thread has thrown
  for (std::size_t t = 0; t < threads; ++t) {
    counts.push_back(std::async(std::launch::async, count_right_calls, &shared, t));
  }
  std::size_t right = 0;
  for (std::future<std::size_t>& count : counts) right += count.get();
  std::printf("%zu of %zu calls from %zu threads are right\n", right, threads * calls, threads);
  if (right != threads * calls) throw std::runtime_error("Some moments are wrong.");
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("10_library_and_threads");
}
