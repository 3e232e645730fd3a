// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A tiled Cholesky factorisation of which some copies are corrupted, on each driver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms.hpp"

namespace examples_test {

namespace {

using namespace hocket;

/// Kernels with a text go to one device, others to the host, so that each run gives the same bits.
class always_there final : public placement_policy {
 public:
  std::size_t choose(const placement_task& task) override { return task.options.back().device; }
};

class tiled_integrity : public ::testing::Test {
 protected:
  static runtime_options options(const std::string& device, const std::string& plan) {
    return {.devices = "NUMA0," + device,
            .backends = {{"opencl", "import=no"}, {"vulkan", "import=no"}, {"sim", "1"}},
            .own_policy = std::make_shared<always_there>(),
            .integrity = integrity_kind::copies,
            .faults = plan};
  }
  static double residual(runtime& rt) {
    const auto problem = tiled::make_cholesky(rt, 4, 24);
    problem->generate(rt, rt.device("NUMA0"));
    problem->submit(rt);
    return problem->residual();
  }
  /// Devices with a memory of their own that can run some of the kernels.
  static std::vector<std::string> devices() {
    std::vector<std::string> names;
    runtime all({.backends = {{"sim", "1"}}});
    for (const device_info& each : all.devices()) {
      if (each.shares_host_memory) continue;
      runtime rt(options(each.name, {}));
      EXPECT_LT(residual(rt), 10);
      EXPECT_EQ(rt.report().copies.corrupted, 0U);
      if (rt.report().copies.checked > 0) names.push_back(each.name);
    }
    EXPECT_FALSE(names.empty());
    return names;
  }
};

TEST_F(tiled_integrity, changes_no_bit_whichever_copy_is_corrupted) {
  runtime whole(options("Sim0", {}));
  const double expected = residual(whole);
  for (const char* const call : {" copy-in ", " copy-out "}) {
    std::uint64_t corrupted = 1;
    for (int number = 1; corrupted > 0 && number < 1000; ++number) {
      const std::string plan = std::string("corrupt Sim0") + call + std::to_string(number);
      runtime rt(options("Sim0", plan));
      EXPECT_EQ(residual(rt), expected) << plan;
      corrupted = rt.report().faults.corrupted;
      EXPECT_EQ(rt.report().copies.corrupted, corrupted) << plan;
      EXPECT_TRUE(corrupted > 0 || number > 3) << plan;
    }
  }
}

TEST_F(tiled_integrity, changes_no_bit_where_several_copies_are_corrupted) {
  for (const std::string& device : devices()) {
    runtime whole(options(device, {}));
    const double expected = residual(whole);
    std::string plan;
    // Never three in a row, after which a copy fails.
    for (const char* const numbers : {"1", "3..4", "7", "9..10"}) {
      plan.append("corrupt ").append(device).append(" copy-in ").append(numbers).append("; ");
    }
    runtime rt(options(device, plan));
    EXPECT_EQ(residual(rt), expected) << plan;
    EXPECT_GE(rt.report().faults.corrupted, 4U) << plan;
    EXPECT_EQ(rt.report().copies.corrupted, rt.report().faults.corrupted) << plan;
  }
}

}  // namespace

}  // namespace examples_test
