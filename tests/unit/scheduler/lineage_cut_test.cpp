// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The log of tasks: content in use while lost content is made again, dropped buffers, cuts.

#include "placement/lineage.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lineage_log.hpp"

namespace hocket::placement {
namespace {

class used_lineages : public lineages {
 protected:
  used_lineages() {
    run({writes(a)});
    run({reads(a), writes(b)});
    run({writes(a, span_of(0, 4))});
    lose(b);
  }
  const std::string hopeless = "task \"1\" would change what is in use by \"4\"";
};

TEST_F(used_lineages, what_is_in_use_does_not_change) {
  ASSERT_EQ(steps(), (lineage_strings{"run 1", "run 2", "run 3"}));
  const task_id view = start({reads(a, span_of(6, 8))}, lineage_body::view);
  EXPECT_EQ(plan().hopeless, hopeless);
  end(view);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2", "run 3"}));
}

TEST_F(used_lineages, functions_use_what_they_write) {
  start_on_host({writes(a, span_of(6, 8))}, lineage_body::host_only);
  EXPECT_EQ(plan().hopeless, hopeless);
}

TEST_F(used_lineages, other_parts_may_change) {
  lost.clear();
  lose(a, span_of(0, 2));
  start({reads(a, span_of(4, 8)), updates(b)}, lineage_body::view);
  EXPECT_EQ(steps(), lineage_strings{"run 3"});
}

TEST_F(used_lineages, what_is_in_use_is_not_restored) {
  lost.clear();
  begin_anew();
  run_on_host({writes(a)});
  start({reads(a)}, lineage_body::view);
  lose(a, span_of(0, 1));
  EXPECT_EQ(plan().hopeless, "task \"1\" would change what is in use by \"2\"");
}

TEST_F(lineages, a_view_that_is_issued_again_wrote_nothing) {
  run({writes(a)});
  run_on_host({updates(a)});
  const task_id view = start_on_host({updates(a, span_of(0, 4))}, lineage_body::view);
  log.undone(view);
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2"}));
  log.issued(lineage_task(view, lineage_body::view, {reads(a)}));
  EXPECT_EQ(log.tasks().next(), 5U);
  log.ended(view, {});
}

TEST_F(lineages, a_dropped_buffer_is_made_again_for_others_alone) {
  run({writes(a)});
  run({reads(a), writes(b)});
  run({updates(a)});
  log.dropped(a);
  EXPECT_EQ(log.tasks().size(), 4U);
  EXPECT_EQ(steps(), lineage_strings{});
  lose(a);
  EXPECT_EQ(steps(), lineage_strings{});
  EXPECT_EQ(failed(), lineage_strings{});
  lose(b);
  EXPECT_EQ(steps(), (lineage_strings{"run 1", "run 2"}));
}

TEST_F(lineages, a_dropped_buffer_that_no_task_uses_is_forgotten) {
  run({writes(a)});
  EXPECT_TRUE(log.tasks().uses(a.id));
  EXPECT_FALSE(log.tasks().uses(b.id));
  write_on_host(b, b.all, 1);
  log.versions().forget(b.id);
  EXPECT_EQ(log.tasks().size(), 1U);
}

/// The log is cut behind the second task.
class cut_lineages : public lineages {
 protected:
  cut_lineages() {
    first = run({writes(a)});
    second = start({writes(b)});
    log.begin_cut();
    log.versions().has_at_cut(a, a.all);
    log.versions().comes_for_cut(b, b.all);
  }

  task_id first, second;
};

TEST_F(cut_lineages, end_when_earlier_tasks_have_ended) {
  EXPECT_TRUE(log.is_cutting());
  EXPECT_FALSE(log.can_end_cut());
  start({updates(a)});
  end(second);
  EXPECT_TRUE(log.can_end_cut()) << "later tasks may run";
  EXPECT_TRUE(log.end_cut());
  EXPECT_FALSE(log.is_cutting());
  EXPECT_EQ(log.tasks().size(), 1U);
  EXPECT_EQ(log.tasks().next(), 4U);
}

TEST_F(cut_lineages, begin_with_what_the_host_has) {
  run({updates(a)});
  run({reads(a), updates(b)});
  end(second);
  ASSERT_TRUE(log.end_cut());
  lose(a);
  lose(b, span_of(0, 4));
  EXPECT_EQ(steps(), (lineage_strings{"restore 2 of b[0:8] from host",
                                      "restore 2 of a[0:8] from host", "run 3", "run 4"}));
  lost.clear();
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"restore 2 of a[0:8] from host", "run 3"}));
}

TEST_F(cut_lineages, keep_what_they_begin_with) {
  end(second);
  ASSERT_TRUE(log.end_cut());
  run({updates(a)});
  copy_to_host(a);
  ASSERT_EQ(aside.size(), 1U);
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"restore 2 of a[0:8] from aside", "run 3"}));
}

TEST_F(cut_lineages, are_hopeless_without_what_they_began_with) {
  end(second);
  ASSERT_TRUE(log.end_cut());
  run({updates(a)});
  log.versions().forget_block(a.id);
  lose(a);
  EXPECT_EQ(plan().hopeless, "there is no earlier content of buffer");
}

TEST_F(cut_lineages, keep_later_versions) {
  run_on_host({updates(a)}, lineage_body::host_only);
  end(second);
  EXPECT_EQ(aside.size(), 1U) << "the version at the cut";
  ASSERT_TRUE(log.end_cut());
  run({updates(a)});
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"restore 3 of a[0:8] from host", "run 4"}));
}

TEST_F(cut_lineages, are_not_cut_if_something_was_lost) {
  end(second);
  log.versions().invalidate_cut();
  EXPECT_FALSE(log.end_cut());
  EXPECT_FALSE(log.is_cutting());
  EXPECT_EQ(log.tasks().size(), 2U);
  lose(b);
  EXPECT_EQ(steps(), lineage_strings{"run 2"}) << "the copy may have failed";
  lose(a);
  EXPECT_EQ(steps(), (lineage_strings{"restore 1 of a[0:8] from host", "run 2"}));
}

TEST_F(cut_lineages, are_not_cut_if_a_copy_was_overwritten_on_its_way) {
  end(second);
  write_on_host(b, span_of(0, 1), 0);
  EXPECT_TRUE(aside.empty());
  EXPECT_FALSE(log.end_cut());
  EXPECT_EQ(log.tasks().size(), 2U);
  lose(b);
  EXPECT_EQ(steps(), lineage_strings{"run 2"});
}

TEST_F(cut_lineages, do_not_use_copies_on_their_way) {
  end(second);
  lose(b);
  EXPECT_EQ(steps(), lineage_strings{"run 2"});
}

TEST_F(cut_lineages, may_be_cut_after_a_cut_that_was_invalid) {
  end(second);
  log.versions().invalidate_cut();
  ASSERT_FALSE(log.end_cut());
  log.begin_cut();
  log.versions().has_at_cut(a, a.all);
  log.versions().has_at_cut(b, b.all);
  EXPECT_TRUE(log.end_cut());
  EXPECT_EQ(log.tasks().size(), 0U);
  lose(b);
  EXPECT_EQ(steps(), lineage_strings{"restore 2 of b[0:8] from host"});
}

TEST_F(cut_lineages, let_go_of_what_was_put_aside_before) {
  begin_anew();
  run_on_host({writes(a)}, lineage_body::host_only);
  run_on_host({updates(a)}, lineage_body::host_only);
  run({writes(b)});
  EXPECT_EQ(log.versions().bytes_aside(), 64U);
  log.begin_cut();
  log.versions().has_at_cut(a, a.all);
  log.versions().has_at_cut(b, b.all);
  ASSERT_TRUE(log.end_cut());
  EXPECT_EQ(log.versions().bytes_aside(), 0U);
  EXPECT_FALSE(log.tasks().uses(a.id));
  write_on_host(a, a.all, 0);
  EXPECT_EQ(log.versions().bytes_aside(), 64U);
  log.versions().forget(a.id);
  EXPECT_EQ(log.versions().bytes_aside(), 0U);
}

TEST_F(cut_lineages, do_not_restore_what_was_poisoned_before) {
  fail(second);
  ASSERT_TRUE(log.end_cut());
  log.forgets_poisoned(b.id, b.all);
  lose(a);
  lose(b);
  EXPECT_EQ(steps(), lineage_strings{"restore 2 of a[0:8] from host"});
  EXPECT_EQ(failed(), lineage_strings{}) << "it is poisoned already";
}

TEST_F(cut_lineages, keep_what_is_poisoned_later) {
  run({reads(a), writes(b)});
  log.failed_unissued(lineage_task(task_id{4}, lineage_body::repeatable, {writes(a)}),
                      lineage_failure);
  end(second);
  ASSERT_TRUE(log.end_cut());
  log.forgets_poisoned(a.id, a.all);
  lose(a);
  lose(b);
  EXPECT_EQ(steps(), (lineage_strings{"restore 2 of a[0:8] from host", "run 3"}));
  EXPECT_EQ(failed(), lineage_strings{"a[0:8]"});
}

TEST_F(cut_lineages, begin_with_what_the_host_has_while_the_last_task_runs) {
  end(second);
  ASSERT_TRUE(log.end_cut());
  const task_id third = start({writes(b)});
  log.begin_cut();
  log.versions().has_at_cut(a, a.all);
  run({updates(a)});
  log.torn(third);
  lose(a);
  lose(b);
  EXPECT_EQ(plan().hopeless, "");
  EXPECT_EQ(plan().steps.size(), 3U);
}

TEST_F(cut_lineages, have_older_inputs_as_long_as_they_have_not_ended) {
  begin_anew();
  run_on_host({writes(a)}, lineage_body::host_only);
  run({reads(a), writes(b)});
  log.begin_cut();
  log.versions().has_at_cut(a, a.all);
  run({writes(a)});
  lose(b);
  EXPECT_EQ(plan().hopeless, "");
  EXPECT_EQ(plan().steps.size(), 3U);
}

TEST_F(cut_lineages, that_come_to_nothing_leave_versions_that_were_on_their_way) {
  begin_anew();
  const task_id slow = start_on_host({writes(a)}, lineage_body::host_only);
  log.begin_cut();
  log.versions().comes_for_cut(a, a.all);
  end(slow);
  log.versions().invalidate_cut();
  ASSERT_FALSE(log.end_cut());
  run({updates(a)});
  lose(a);
  EXPECT_EQ(plan().hopeless, "");
  EXPECT_EQ(plan().steps.size(), 2U);
}

TEST_F(cut_lineages, put_versions_aside_that_were_on_their_way) {
  begin_anew();
  const task_id slow = start_on_host({writes(a)}, lineage_body::host_only);
  log.begin_cut();
  log.versions().comes_for_cut(a, a.all);
  end(slow);
  run({updates(a)});
  copy_to_host(a);
  lose(a);
  EXPECT_EQ(plan().hopeless, "");
  EXPECT_EQ(plan().steps.size(), 2U);
}

}  // namespace
}  // namespace hocket::placement
