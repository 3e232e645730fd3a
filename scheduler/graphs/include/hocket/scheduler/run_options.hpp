// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <vector>

#include <hocket/scheduler/run_parameter.hpp>
#include <hocket/scheduler/task_label.hpp>
#include <hocket/scheduler/task_options.hpp>

namespace hocket {

/// How a graph is run. Nothing has to be set.
///
/// ```cpp
/// runtime rt;
/// const buffer<float> x{rt, 100, 0.0f};
/// const graph fill = rt.record([&](submitter& s) { s.submit(ops::fill, 1.0f, writes(x)); });
/// const future<void> before = rt.async([] {});
/// rt.run({.label = "fill x", .priority = 1, .after = {before}}, fill).get();
/// ```
struct run_options {
  /// For messages and traces.
  task_label label = {};

  /// Is added to those of all tasks. Where runs of one graph follow one another and its tasks have
  /// priorities of their own, give a later run less than the whole range of these.
  std::int64_t priority = 0;

  /// The tasks run after all of these have ended well; if one fails, none of them runs.
  future_list after = {};
};

/// What parameters are in one run, as in {rate = 0.05f, seed = 7}; the others are what they were
/// made with.
using settings = std::vector<setting>;

}  // namespace hocket
