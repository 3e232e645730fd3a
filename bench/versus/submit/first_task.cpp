// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The way to the first host task: in a runtime that is new, and in a process that is new.

#include <optional>
#include <string>

#include <fmt/format.h>
#include <harness/process.hpp>
#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

constexpr double nanoseconds_per_microsecond = 1000;

/// The end of the runtime does not count.
double microseconds_to_first_task() {
  std::optional<runtime> rt;
  return nanoseconds_of([&] {
           rt.emplace();
           rt->async([] {}).get();
         }) /
         nanoseconds_per_microsecond;
}

}  // namespace

int run_first_task() {
  fmt::print("{}\n", microseconds_to_first_task());
  return 0;
}

contender ours::first_task_of_runtime() {
  return {"hocket", [] { return microseconds_to_first_task; }};
}

contender ours::first_task_of_process() {
  return {"hocket", [] {
            return [] { return std::stod(output_of({this_program(), "first-task"})); };
          }};
}

}  // namespace hocket::bench
