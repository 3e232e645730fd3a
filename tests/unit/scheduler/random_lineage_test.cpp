// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Random programs whose lost content is made again.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "lineage_machine.hpp"
#include "seeds.hpp"

namespace hocket::placement {
namespace {

void run_lineage_machines(std::uint64_t programs, const lineage_machine::options& may,
                          lineage_machine::counts& seen) {
  for (std::uint64_t seed = 0; seed < testing::seeds_on_one_thread(programs); ++seed) {
    lineage_machine(seed, may, seen).run();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(random_lineages, tasks_that_can_be_run_again_give_what_was_lost) {
  lineage_machine::counts seen;
  run_lineage_machines(2000, {.calls_once = false}, seen);
  EXPECT_EQ(seen.hopeless, 0U);
  for (const std::size_t each : {seen.recovered, seen.ran_again, seen.restored, seen.torn, seen.cut,
                                 seen.put_aside, seen.failed, seen.dropped}) {
    EXPECT_GT(each, 0U);
  }
}

TEST(random_lineages, what_tasks_did_that_are_called_once_is_kept) {
  lineage_machine::counts seen;
  run_lineage_machines(2000, {}, seen);
  for (const std::size_t each : {seen.recovered, seen.undone, seen.in_use, seen.hopeless}) {
    EXPECT_GT(each, 0U);
  }
}

TEST(random_lineages, what_the_device_did_once_may_be_lost) {
  lineage_machine::counts seen;
  run_lineage_machines(2000, {.calls_once_on_device = true}, seen);
  EXPECT_GT(seen.recovered, seen.hopeless);
}

TEST(random_lineages, devices_may_be_lost_while_content_is_made_again) {
  lineage_machine::counts seen;
  run_lineage_machines(2000, {.loses_in_recoveries = true}, seen);
  EXPECT_GT(seen.lost_again, 0U);
}

}  // namespace
}  // namespace hocket::placement
