// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::bench {

/// Measures once and returns the value, in the unit of its comparison.
using sampler = std::function<double()>;

/// What is compared: ours is called "hocket". prepare makes what the samples need; it lives until
/// the comparison is done.
struct contender {
  std::string subject;
  std::function<sampler()> prepare;
};

/// One question that is asked of several subjects in one run.
struct comparison {
  std::string name;
  std::string metric;
  std::string unit;  ///< less is better
  std::size_t threads = 1;
  std::vector<contender> contenders;
  /// How many tasks a sample has, the same for all; 0: it is not made of tasks.
  std::size_t tasks = 0;
  /// How many there are of what the case has many of; 0: it is measured with one number alone.
  /// Cases of one name are to differ in that, and in what their metrics are called.
  std::size_t size = 0;
  /// Each subject is asked once, without a sample before: its answer is the same every time, or
  /// takes long.
  bool once = false;
  /// The case takes minutes, and is only measured where `--only` has its whole name.
  bool only_by_name = false;
};

/// What one subject answered.
struct row {
  std::string name;
  std::string subject;
  std::string metric;
  std::string unit;
  std::size_t threads = 1;
  double median = 0;
  double min = 0;
  double max = 0;
  std::size_t runs = 0;
  std::size_t size = 0;
};

/// Takes rounds samples of each contender. Every round asks all of them, each time beginning with
/// the next one, so that a machine which gets slower or faster does so for all. One sample of each
/// comes before, and does not count. What is asked once is one round alone.
[[nodiscard]] std::vector<row> measure(const comparison& what, std::size_t rounds);

/// The median, the least and the most of what a subject answered.
[[nodiscard]] row summary_of(const comparison& what, const std::string& subject,
                             std::vector<double> values);

/// Nanoseconds that work takes.
[[nodiscard]] double nanoseconds_of(const std::function<void()>& work);

/// Functions that nanoseconds_of calls before and after the work, for tools that look for them.
inline constexpr std::string_view begin_of_work = "hocket::bench::work_begins";
inline constexpr std::string_view end_of_work = "hocket::bench::work_ends";

}  // namespace hocket::bench
