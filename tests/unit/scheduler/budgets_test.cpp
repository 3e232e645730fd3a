// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
//
// Many budgets.

#include <malloc.h>

#include <cstddef>

#include <hocket/core/sanitizers.hpp>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;

class budgets : public ::testing::TestWithParam<data_path> {
 protected:
  [[nodiscard]] static runtime_options options() {
    return {
        .devices = "NUMA0", .data_tasks = GetParam(), .topology = machine("numa:1 core:2 pu:1")};
  }
};
INSTANTIATE_TEST_SUITE_P(, budgets, ::testing::Values(data_path::placed, data_path::in_place),
                         [](const auto& of) {
                           return of.param == data_path::placed ? "placed" : "in_place";
                         });

TEST_P(budgets, that_are_gone_leave_nothing_behind) {
#if defined(HOCKET_ADDRESS_SANITIZER) || defined(HOCKET_THREAD_SANITIZER)
  GTEST_SKIP() << "sanitizers have an allocator of their own";
#endif
  runtime rt{options()};
  const buffer<float> x{rt, 8, "x"};
  rt.submit(ops::fill, 1.0f, writes(x)).get();
  constexpr std::size_t many = 100'000;
  const auto bytes = [] { return mallinfo2().uordblks; };
  const std::size_t before = bytes();
  budget_share last;
  for (std::size_t i = 0; i < many; ++i) last = budget(rt, i + 1).share(i + 1);
  rt.submit({.takes = last}, ops::fill, 2.0f, writes(x)).get();
  EXPECT_LT(bytes(), before + 8 * many);
}

}  // namespace
}  // namespace hocket
