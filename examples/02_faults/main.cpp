// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Each call of a computation in turn fails, or loses its device: what comes of that? On simulated
// devices and the virtual clock, so that it comes out the same each time.

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

struct outcomes {
  int right = 0;
  int failed = 0;
  int wrong = 0;
};

/// Adds up squares on two devices, which pass intermediate sums on to one another.
std::vector<float> sums_of_squares(runtime& rt) {
  constexpr std::size_t size = 1000;
  const buffer<float> squares{rt, size, "squares"}, sums{rt, size, 0.0F, "sums"};
  for (int i = 1; i <= 4; ++i) {
    const task_options on{.on = rt.device(i % 2 == 0 ? "Sim0" : "Sim1")};
    rt.submit(on, ops::fill, static_cast<float>(i * i), writes(squares));
    rt.submit(on, ops::axpy, 1.0F, reads(squares), updates(sums));
  }
  return sums.to_vector();
}

/// Counts what comes of a run with the plan. Returns false if the plan had nothing to do.
bool try_out(const std::string& plan, outcomes& counts) {
  runtime rt({.devices = "NUMA0,Sim0,Sim1",
              .backends = {{"sim", "2"}},
              .clock = clock_kind::simulated,
              .resilience = resilience_kind::survive,
              .faults = plan});
  bool is_right = true;
  try {
    is_right = sums_of_squares(rt) == std::vector<float>(1000, 30.0F);
  } catch (const error&) {
    ++counts.failed;
    return true;
  }
  if (rt.report().faults.total() == 0) return false;
  ++(is_right ? counts.right : counts.wrong);
  return true;
}

}  // namespace

int main() try {
  int wrong = 0;
  for (const char* const action : {"fail", "lose"}) {
    for (const char* const call : {"allocation", "copy-in", "copy-out", "launch", "compile"}) {
      outcomes counts;
      int n = 1;
      while (try_out(std::string(action) + " * " + call + " " + std::to_string(n), counts)) ++n;
      std::printf("%s %-10s  right %2d  failed %2d  wrong %2d\n", action, call, counts.right,
                  counts.failed, counts.wrong);
      wrong += counts.wrong;
    }
  }
  if (wrong != 0) throw std::runtime_error("A fault has changed a result.");
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("02_faults");
}
