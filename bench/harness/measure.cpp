// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace hocket::bench {

namespace {

/// Workers of the subject before, which look for work for a while, are asleep after it.
constexpr std::chrono::milliseconds settling_time{3};

double sample_quietly(const sampler& sample) {
  std::this_thread::sleep_for(settling_time);
  return sample();
}

}  // namespace

// They differ, so that compilers do not make one of the two.
[[gnu::noinline]] static void work_begins() { asm volatile("# begin"); }
[[gnu::noinline]] static void work_ends() { asm volatile("# end"); }

row summary_of(const comparison& what, const std::string& subject, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {what.name, subject,        what.metric,   what.unit,     what.threads,
          median,    values.front(), values.back(), values.size(), what.size};
}

std::vector<row> measure(const comparison& what, std::size_t rounds) {
  const std::size_t count = what.contenders.size();
  std::vector<sampler> samplers;
  for (const contender& each : what.contenders) samplers.push_back(each.prepare());
  if (what.once) rounds = 1;
  if (!what.once) {
    for (const sampler& each : samplers) sample_quietly(each);
  }
  std::vector<std::vector<double>> values(count);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t asked = (round + turn) % count;
      values[asked].push_back(sample_quietly(samplers[asked]));
    }
  }
  std::vector<row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back(summary_of(what, what.contenders[i].subject, std::move(values[i])));
  }
  return rows;
}

double nanoseconds_of(const std::function<void()>& work) {
  work_begins();
  const auto start = std::chrono::steady_clock::now();
  work();
  const auto end = std::chrono::steady_clock::now();
  work_ends();
  return std::chrono::duration<double, std::nano>(end - start).count();
}

}  // namespace hocket::bench
