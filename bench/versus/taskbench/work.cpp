// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "work.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include <harness/measure.hpp>

namespace hocket::bench {

void compute(std::uint64_t iterations) noexcept {
  double a = 1.0;
  double b = 2.0;
  double c = 3.0;
  double d = 4.0;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    a = a * 0.5 + 1.0;
    b = b * 0.5 + 1.0;
    c = c * 0.5 + 1.0;
    d = d * 0.5 + 1.0;
  }
  asm volatile("" : : "m"(a), "m"(b), "m"(c), "m"(d));
}

double nanoseconds_per_iteration(std::size_t threads) {
  // Some tenths of a millisecond for a sample: most are not interrupted.
  constexpr std::uint64_t iterations = 50'000;
  constexpr int samples = 100;
  std::vector<double> best(threads, std::numeric_limits<double>::max());
  std::vector<std::thread> others;
  const auto sample = [](double& least) {
    for (int i = 0; i < samples; ++i) {
      least = std::min(least, nanoseconds_of([] { compute(iterations); }));
    }
  };
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(sample, std::ref(best[i]));
  sample(best[0]);
  for (std::thread& each : others) each.join();
  double rate = 0;
  for (const double each : best) rate += static_cast<double>(iterations) / each;
  return static_cast<double>(threads) / rate;
}

void graph_work::begin_check() {
  for (auto& each : runs_) each = 0;
  out_of_order_ = false;
  checking_ = true;
}

void graph_work::run_checked(std::size_t task) noexcept {
  // The order between tasks comes from who is checked, not from these atomics.
  const std::uint32_t before = runs_[task].load(std::memory_order_relaxed);
  for (std::uint32_t at = what_.first[task]; at < what_.first[task + 1]; ++at) {
    if (runs_[what_.follows[at]].load(std::memory_order_relaxed) == before + 1) continue;
    out_of_order_.store(true, std::memory_order_relaxed);
  }
  // Tasks of unlike lengths overtake one another where nothing holds them back.
  compute(task * 7919 % 997);
  runs_[task].store(before + 1, std::memory_order_relaxed);
}

void graph_work::end_check(const char* subject) {
  checking_ = false;
  const auto sentence = [&](const char* what) {
    return std::string(what) + " in the graph " + what_.name + " of " + subject + ".";
  };
  if (out_of_order_) throw std::runtime_error(sentence("A task does not wait for another"));
  for (const auto& each : runs_) {
    if (each != 1) throw std::runtime_error(sentence("A task does not run exactly once"));
  }
}

}  // namespace hocket::bench
