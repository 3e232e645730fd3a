// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// How lost content is made again: cases written by hand.

#include "placement/lineage.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "lineage_log.hpp"

namespace hocket::placement {
namespace {

TEST_F(lineages, nothing_is_done_if_nothing_is_lost) {
  run({writes(a)});
  run({reads(a), updates(b)}, lineage_body::host_only);
  EXPECT_EQ(steps(), lineage_strings{});
  EXPECT_EQ(log.tasks().size(), 2U);
  EXPECT_EQ(log.tasks().next(), 3U);
}

TEST_F(lineages, all_updates_of_lost_content_run_again) {
  run({writes(a)});
  run({updates(a)});
  run({updates(a)});
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2", "run 3"}));
}

TEST_F(lineages, what_was_overwritten_does_not_run_again) {
  run({writes(a)});
  run({updates(a)});
  run({writes(a)});
  lose(a);
  EXPECT_EQ(steps(), lineage_strings{"run 3"});
}

TEST_F(lineages, inputs_are_made_again_if_they_are_lost_too) {
  run({writes(a)});
  run({reads(a), writes(b)});
  lose(b);
  EXPECT_EQ(steps(), lineage_strings{"run 2"});
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2"}));
  lost.erase(b.id);
  EXPECT_EQ(steps(), lineage_strings{"run 1"});
}

TEST_F(lineages, only_writers_of_what_is_lost_run_again) {
  run({writes(a, span_of(0, 4))});
  run({writes(a, span_of(4, 8))});
  run({updates(a, span_of(0, 2))});
  lose(a, span_of(5, 6));
  EXPECT_EQ(steps(), lineage_strings{"run 2"});
}

TEST_F(lineages, a_version_that_the_host_has_cuts_the_chain) {
  run({writes(a)});
  run_on_host({updates(a)});
  run({updates(a)});
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"restore 2 of a[0:8] from host", "run 3"}));
}

TEST_F(lineages, only_the_part_that_is_lost_is_restored) {
  run_on_host({writes(a)});
  run({updates(a, span_of(2, 5))});
  lose(a, span_of(2, 5));
  EXPECT_EQ(steps(), (lineage_strings{"restore 1 of a[2:5] from host", "run 2"}));
}

TEST_F(lineages, a_version_that_was_overwritten_on_the_host_is_not_used) {
  run_on_host({writes(a)});
  run({updates(a)});
  copy_to_host(a);
  run({updates(a)});
  EXPECT_TRUE(aside.empty()) << "a task can make it again";
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2", "run 3"}));
}

TEST_F(lineages, a_version_is_not_used_if_its_block_is_gone) {
  run_on_host({writes(a)});
  run({updates(a)});
  log.versions().drop_block(a,
                            [](const kept_ref&) { ADD_FAILURE() << "a task can make it again"; });
  log.versions().forget_block(a.id);
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2"}));
}

TEST_F(lineages, a_version_is_not_used_if_its_task_did_not_complete) {
  run({writes(a)});
  const task_id failing = start_on_host({updates(a)});
  fail(failing);
  run({writes(a)});
  const task_id torn = start_on_host({updates(a)});
  log.torn(torn);
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"run 3", "run 4"}));
}

TEST_F(lineages, tasks_that_are_called_once_are_told) {
  const auto is_repeatable = [](lineage_body body) {
    return task_log::is_repeatable(lineage_task(task_id{1}, body, {}));
  };
  EXPECT_TRUE(is_repeatable(lineage_body::repeatable));
  EXPECT_FALSE(is_repeatable(lineage_body::host_only));
  EXPECT_FALSE(is_repeatable(lineage_body::with_captures));
  EXPECT_FALSE(is_repeatable(lineage_body::view));
}

class lineages_once : public lineages, public ::testing::WithParamInterface<lineage_body> {};

INSTANTIATE_TEST_SUITE_P(bodies, lineages_once,
                         ::testing::Values(lineage_body::host_only, lineage_body::with_captures,
                                           lineage_body::view));

TEST_P(lineages_once, their_content_is_put_aside_and_restored) {
  run_on_host({writes(a)}, GetParam());
  run({updates(a)});
  EXPECT_EQ(log.versions().bytes_aside(), 0U);
  copy_to_host(a);
  EXPECT_EQ(aside.size(), 1U);
  EXPECT_EQ(log.versions().bytes_aside(), 8 * sizeof(std::uint64_t));
  run({updates(a)});
  copy_to_host(a);
  EXPECT_EQ(aside.size(), 1U);
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"restore 1 of a[0:8] from aside", "run 2", "run 3"}));
  EXPECT_EQ(plan().steps.front().from, aside.front());
}

TEST_P(lineages_once, their_content_is_put_aside_before_its_block_is_gone) {
  run_on_host({writes(a, span_of(1, 3))}, GetParam());
  log.versions().drop_block(a, [&](const kept_ref& to) {
    EXPECT_EQ(to->part->region(), span_of(1, 3));
    to->was_read = true;
  });
  log.versions().forget_block(a.id);
  lose(a, span_of(2, 3));
  EXPECT_EQ(steps(), lineage_strings{"restore 1 of a[2:3] from aside"});
}

TEST_P(lineages_once, they_are_not_run_again) {
  run({writes(a)}, GetParam());
  run({updates(a)});
  lose(a);
  EXPECT_EQ(plan().hopeless, "task \"1\" is called once");
}

TEST_P(lineages_once, bytes_that_will_be_read_are_restored) {
  has_read = false;
  run_on_host({writes(a)}, GetParam());
  copy_to_host(a);
  lose(a);
  EXPECT_EQ(steps(), lineage_strings{"restore 1 of a[0:8] from aside"});
}

TEST_P(lineages_once, bytes_for_which_there_was_no_memory_are_not_restored) {
  has_memory = false;
  run_on_host({writes(a)}, GetParam());
  copy_to_host(a);
  lose(a);
  EXPECT_EQ(plan().hopeless, "task \"1\" is called once");
}

TEST_P(lineages_once, they_run_again_if_they_are_torn) {
  run({writes(a)});
  log.torn(start_on_host({updates(a)}, GetParam()));
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2"}));
}

TEST_P(lineages_once, what_they_wrote_before_they_were_run_again_is_not_restored) {
  const task_id torn = start_on_host({writes(a)}, GetParam());
  log.torn(torn);
  for (std::size_t i = 1; i <= 2; ++i) {
    // The device of a recovery is lost too, and all is planned again.
    ASSERT_EQ(steps(), lineage_strings{"run 1"});
    write_on_host(a, a.all, 1);
    copy_to_host(a);
    ASSERT_EQ(aside.size(), i);
  }
  end(torn);
  lose(a);
  EXPECT_EQ(steps(), lineage_strings{"restore 1 of a[0:8] from aside"});
  EXPECT_EQ(plan().steps.front().from, aside.back());
}

TEST_F(lineages, what_a_task_failed_to_write_stays_poisoned) {
  run({writes(a)});
  fail(start({updates(a, span_of(0, 4))}));
  lose(a);
  EXPECT_EQ(steps(), lineage_strings{"run 1"});
  EXPECT_EQ(failed(), lineage_strings{"a[0:4]"});
}

TEST_F(lineages, what_only_a_failed_task_wrote_is_left_alone) {
  run({writes(a)});
  log.failed_unissued(lineage_task(task_id{2}, lineage_body::repeatable, {writes(a)}),
                      lineage_failure);
  EXPECT_EQ(log.tasks().size(), 2U);
  lose(a);
  EXPECT_EQ(steps(), lineage_strings{});
  EXPECT_EQ(failed(), lineage_strings{"a[0:8]"});
}

TEST_F(lineages, what_a_later_task_wrote_has_not_failed) {
  run({writes(a)});
  fail(start({writes(a, span_of(0, 4))}));
  run({writes(a, span_of(2, 8))});
  lose(a);
  EXPECT_EQ(steps(), lineage_strings{"run 3"});
  EXPECT_EQ(failed(), lineage_strings{"a[0:2]"});
}

TEST_F(lineages, a_task_that_fails_when_it_is_run_again_has_failed) {
  run({writes(a)});
  run({updates(b)});
  log.failed_again(1, lineage_failure);
  lose(a);
  EXPECT_EQ(steps(), lineage_strings{});
  EXPECT_EQ(failed(), lineage_strings{"a[0:8]"});
}

TEST_F(lineages, a_torn_task_runs_again_if_nothing_is_lost) {
  run({writes(a)});
  log.torn(start({reads(a), writes(b)}));
  EXPECT_EQ(steps(), lineage_strings{"run 2"});
}

TEST_F(lineages, a_torn_task_without_outputs_runs_again) {
  run({writes(a)});
  log.torn(start({reads(a)}));
  log.torn(start({}));
  EXPECT_EQ(steps(), (lineage_strings{"run 2", "run 3"}));
}

TEST_F(lineages, a_torn_task_updates_what_was_before_it) {
  run({writes(a)});
  log.torn(start({updates(a)}));
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2"}));
}

TEST_F(lineages, a_torn_task_that_has_ended_is_torn_no_more) {
  run({writes(a)});
  const task_id torn = start({reads(a), writes(b)});
  log.torn(torn);
  end(torn);
  EXPECT_EQ(steps(), lineage_strings{});
  const task_id again = start({reads(a), writes(b)});
  log.torn(again);
  fail(again);
  lose(b);
  EXPECT_EQ(steps(), lineage_strings{});
  EXPECT_EQ(failed(), lineage_strings{"b[0:8]"});
}

TEST_F(lineages, later_writers_of_what_has_to_be_older_run_again) {
  run({writes(a)});
  run({reads(a), writes(b)});
  run({updates(a, span_of(0, 4))});
  run({writes(a, span_of(4, 8))});
  lose(b);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2", "run 3", "run 4"}));
}

TEST_F(lineages, writers_take_what_later_ones_wrote_with_them) {
  run({writes(a)});
  run({writes(a, span_of(0, 4))});
  lose(a, span_of(7, 8));
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2"}));
}

TEST_F(lineages, newer_content_of_the_host_returns_after_older) {
  run({writes(a)});
  run({reads(a), writes(b)});
  run_on_host({updates(a)}, lineage_body::host_only);
  lose(b);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2", "restore 3 of a[0:8] from host"}));
}

}  // namespace
}  // namespace hocket::placement
