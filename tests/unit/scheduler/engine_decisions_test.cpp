// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The parts of the placement engine that decide, each with those that it uses.

#include <gmock/gmock.h>

#include "engine_parts.hpp"
#include "placement/loss_handler.hpp"
#include "placement/task_finisher.hpp"

namespace hocket::placement {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr stream_id quick_lane{1}, to_near{2}, to_host{3};

class engine_decisions : public engine_parts {
 protected:
  /// A launch that names the device.
  placed_task& add_on(device_id device, const std::vector<use>& uses) {
    placed_task& t = add(uses);
    t.on = device;
    return t;
  }
  /// The oldest command of the stream ends, and what waits for it goes on.
  command_record end(stream_id stream) {
    const command_record record = commands_.end(stream, ++ended_[stream.value]);
    state_.lanes.ended(record, commands_.load(stream));
    (void)commands_.waiters().run_due();
    commands_.flush(actions_);
    return record;
  }
  [[nodiscard]] std::vector<device_id> dirty() {
    std::vector<device_id> all;
    state_.work.take_dirty([&](device_id device) { all.push_back(device); });
    return all;
  }
  [[nodiscard]] std::vector<task_id> ending() {
    std::vector<task_id> all;
    for (const worklist::ending& e : state_.work.take_endings()) all.push_back(e.task->id);
    return all;
  }
  void fill(memory_id memory) {
    reservation_ledger& ledger = replicas_.ledger();
    ledger.take(memory, ledger.capacity(memory) - ledger.used(memory));
  }

  task_issuer issuer_{state_};
  prefetcher fetches_{state_};
  host_views views_{state_, issuer_};
  kernel_preparations preparations_{state_};
  device_queues queues_{state_, issuer_, fetches_};
  ready_pool pool_{state_, queues_, preparations_};
  scheduled_tasks scheduled_{state_, queues_, pool_};
  task_placer placer_{state_, queues_, pool_, scheduled_, fetches_, views_, preparations_};
  memory_reclaimer memory_{state_, issuer_, placer_};
  task_hold hold_{state_, queues_, pool_, scheduled_, memory_, placer_};
  dropped_buffers dropped_{state_, memory_};
  loss_recovery recovery_{state_, memory_, hold_, dropped_};
  device_roster roster_{state_, queues_, pool_, scheduled_, memory_, placer_};
  kernel_trials trials_{state_, placer_, memory_, roster_};
  task_finisher finisher_{state_, queues_, pool_,   scheduled_, memory_,
                          views_, placer_, trials_, recovery_};
  device_drains drains_{state_, roster_, memory_};
  device_quarantine quarantine_{state_, roster_, recovery_, nanoseconds{1}};
  command_retries retries_{state_, recovery_, quarantine_};
  task_duplicates duplicates_{state_, memory_, retries_, finisher_};
  loss_handler losses_{state_, roster_, drains_, memory_, recovery_, duplicates_, preparations_};

 private:
  std::array<std::uint64_t, 5> ended_{};
};

TEST_F(engine_decisions, the_users_of_a_memory_are_looked_at_once) {
  state_.work.mark_users_dirty(near_host);
  state_.work.mark_dirty(quick);
  EXPECT_THAT(dirty(), ElementsAre(slow, quick));
  EXPECT_TRUE(state_.work.is_empty());
}

TEST_F(engine_decisions, the_next_in_line_is_looked_at_when_the_first_leaves) {
  placed_task& first = add_on(quick, {});
  placed_task& second = add_on(quick, {});
  first.in_order = second.in_order = true;
  state_.throttle.announce(first);
  state_.throttle.announce(second);
  EXPECT_TRUE(state_.throttle.has_turn(first));
  EXPECT_FALSE(state_.throttle.has_turn(second));
  state_.throttle.withdraw(first);
  EXPECT_TRUE(state_.throttle.has_turn(second));
  EXPECT_THAT(dirty(), ElementsAre(quick));
}

TEST_F(engine_decisions, content_is_fetched_for_queued_tasks_into_free_memory) {
  const data_id x = buffer(16);
  write(x, host);
  placed_task& t = add_on(quick, {{x, access_mode::read}});
  queues_.enqueue(t, quick);
  EXPECT_EQ(copies().size(), 1U);
  EXPECT_TRUE(t.run.fetching);
  EXPECT_EQ(queues_.pick(quick), nullptr) << "its data are on their way";
  (void)end(to_near);
  EXPECT_FALSE(t.run.fetching);
  EXPECT_EQ(queues_.pick(quick), &t);
}

TEST_F(engine_decisions, a_task_is_queued_once_though_it_is_told_late_that_its_content_has_come) {
  const data_id x = buffer(16);
  write(x, host);
  placed_task& t = add_on(quick, {{x, access_mode::read}});
  fetches_.fetch_early(t);
  ASSERT_EQ(copies().size(), 1U);
  (void)commands_.end(to_near, 1);
  queues_.enqueue(t, quick);
  (void)commands_.waiters().run_due();
  EXPECT_EQ(queues_.pick(quick), &t);
  queues_.dequeue(t);
  EXPECT_EQ(queues_.pick(quick), nullptr);
}

TEST_F(engine_decisions, content_is_not_fetched_into_memory_that_is_in_use) {
  const data_id x = buffer(16);
  write(x, host);
  fill(near_host);
  placed_task& t = add_on(quick, {{x, access_mode::read}});
  queues_.enqueue(t, quick);
  EXPECT_THAT(copies(), IsEmpty());
  EXPECT_EQ(queues_.pick(quick), &t) << "it is committed with its copies, as the device is idle";
}

TEST_F(engine_decisions, a_launch_is_issued_without_copies_if_its_content_is_there) {
  const data_id x = buffer(16);
  write(x, host);
  placed_task& t = add({{x, access_mode::update}});
  t.run.device = quick;
  EXPECT_FALSE(issuer_.issue_present(t, 0));
  write(x, near_host);
  EXPECT_TRUE(issuer_.issue_present(t, 0));
  EXPECT_TRUE(t.is_issued());
  EXPECT_EQ(t.run.number, (point{quick_lane, 1}));
  EXPECT_EQ(t.accesses[0].block, content_.block(x, near_host));
  EXPECT_TRUE(content_.pinned(x, near_host));
  EXPECT_THAT(content_.writers(x, t.accesses[0].region()), ElementsAre(t.id));
  EXPECT_EQ(actions<issue_launch>().size(), 1U);
}

TEST_F(engine_decisions, a_launch_waits_for_the_copies_that_it_is_issued_with) {
  const data_id x = buffer(16);
  write(x, host);
  placed_task& t = add({{x, access_mode::read}});
  t.run.device = quick;
  replicas_.take_block(x, near_host);
  issuer_.issue(t);
  EXPECT_EQ(copies().size(), 1U);
  EXPECT_THAT(actions<issue_launch>(), IsEmpty());
  (void)end(to_near);
  EXPECT_EQ(actions<issue_launch>().size(), 1U);
}

TEST_F(engine_decisions, a_view_is_delivered_when_its_content_has_come) {
  const data_id x = buffer(16);
  write(x, near_host);
  placed_task& view = add({{x, access_mode::read}}, task_kind::view);
  views_.open(view);
  EXPECT_TRUE(view.is_issued());
  EXPECT_THAT(actions<deliver>(), IsEmpty());
  (void)end(to_host);
  ASSERT_EQ(actions<deliver>().size(), 1U);
  EXPECT_THAT(actions<deliver>()[0].blocks, ElementsAre(content_.block(x, host)));
  view_released closed{view.id};
  views_.release(closed);
  EXPECT_THAT(ending(), ElementsAre(view.id));
}

TEST_F(engine_decisions, a_nested_domain_ends_with_its_last_task) {
  const data_id x = buffer(16);
  placed_task& domain = add({{x, access_mode::update}}, task_kind::domain);
  views_.open(domain);
  const placed_task& inner = add({{x, access_mode::write}}, task_kind::launch, domain.id);
  view_released complete_now{domain.id};
  views_.release(complete_now);
  EXPECT_THAT(ending(), IsEmpty());
  views_.leave_domain(inner);
  EXPECT_THAT(ending(), ElementsAre(domain.id));
}

TEST_F(engine_decisions, the_highest_priority_is_next) {
  placed_task& low = add({});
  placed_task& high = add({});
  high.priority = 1;
  queues_.enqueue(low, quick);
  queues_.enqueue(high, quick);
  EXPECT_EQ(queues_.pick(quick), &high);
  queues_.dequeue(high);
  EXPECT_EQ(queues_.pick(quick), &low);
  EXPECT_EQ(devices_[quick.value].queued.value(), low.run.predicted.time);
}

TEST_F(engine_decisions, tasks_that_need_no_memory_overtake_one_that_waits_for_it) {
  const data_id x = buffer(16);
  placed_task& waits = add({});
  placed_task& writer = add({{x, access_mode::write}});
  placed_task& free = add({});
  devices_[quick.value].reserving = &waits;
  queues_.enqueue(writer, quick);
  queues_.enqueue(free, quick);
  EXPECT_EQ(queues_.pick(quick), &free);
}

TEST_F(engine_decisions, an_idle_device_steals_from_a_busy_one) {
  placed_task& runs = add({});
  runs.run.device = quick;
  ASSERT_TRUE(issuer_.issue_present(runs, 0));
  placed_task& waits = add({});
  queues_.enqueue(waits, quick);
  devices_[quick.value].queued.add(1s);
  EXPECT_TRUE(queues_.steal_for(slow));
  EXPECT_EQ(waits.run.device, slow);
  EXPECT_EQ(queues_.pick(slow), &waits);
  EXPECT_EQ(queues_.pick(quick), nullptr);
}

TEST_F(engine_decisions, a_task_starts_when_the_one_before_it_has_ended) {
  const data_id x = buffer(16);
  placed_task& writer = add({{x, access_mode::write}});
  placed_task& reader = add({{x, access_mode::read}});
  reader.traced = std::make_unique<trace_note>();
  placer_.consider(reader);
  EXPECT_EQ(reader.phase, task_phase::blocked);
  replicas_.take_block(x, near_host);
  writer.run.device = quick;
  ASSERT_TRUE(issuer_.issue_present(writer, 0));
  placer_.pass_followers(writer);
  EXPECT_EQ(reader.phase, task_phase::blocked) << "a device of one command orders no two";
  (void)end(quick_lane);
  finisher_.finish(writer, {});
  EXPECT_EQ(reader.phase, task_phase::queued);
  EXPECT_EQ(reader.traced->cause, task_id{1});
}

TEST_F(engine_decisions, a_task_without_a_device_fails) {
  devices_[slow.value].state = devices_[quick.value].state = device_state::lost;
  placed_task& t = add({});
  placer_.place(t);
  const std::vector<worklist::ending> due = state_.work.take_endings();
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].why.code(), failure_code::no_device);
}

TEST_F(engine_decisions, a_replica_is_written_back_and_evicted_for_a_task_that_lacks_memory) {
  const data_id x = buffer(16), y = buffer(16);
  write(x, near_host);
  const block_id evicted = content_.block(x, near_host);
  fill(near_host);
  placed_task& t = add({{y, access_mode::write}});
  t.run.device = quick;
  memory_.reserve(t, replicas_.needs_of(t, near_host));
  EXPECT_EQ(t.phase, task_phase::reserving);
  EXPECT_EQ(copies().size(), 1U) << "x is nowhere else";
  (void)end(to_host);
  ASSERT_EQ(actions<free_block>().size(), 1U);
  EXPECT_EQ(actions<free_block>()[0].block, evicted);
  EXPECT_TRUE(t.is_issued());
  EXPECT_EQ(devices_[quick.value].reserving, nullptr);
}

TEST_F(engine_decisions, what_is_used_last_is_evicted_though_a_later_task_replaces_it) {
  std::vector<data_id> all;
  for (int i = 0; i < 3; ++i) {
    all.push_back(buffer(16));
    write(all.back(), near_host);
  }
  fill(near_host);
  (void)add({{all[1], access_mode::update}});
  (void)add({{all[0], access_mode::update}});
  (void)add({{all[2], access_mode::update}});
  (void)add({{all[1], access_mode::write}});
  const data_id y = buffer(16);
  placed_task& t = add({{y, access_mode::write}});
  t.run.device = quick;
  memory_.reserve(t, replicas_.needs_of(t, near_host));
  EXPECT_FALSE(content_.has_block(all[2], near_host));
  EXPECT_TRUE(content_.has_block(all[0], near_host));
  EXPECT_TRUE(content_.has_block(all[1], near_host)) << "the next task uses it";
}

TEST_F(engine_decisions, a_task_for_which_no_memory_can_be_found_fails) {
  const data_id x = buffer(16);
  fill(near_host);
  placed_task& t = add({{x, access_mode::write}});
  t.run.device = quick;
  memory_.reserve(t, replicas_.needs_of(t, near_host));
  memory_.look_at_reservations();
  ASSERT_EQ(actions<await_memory>().size(), 1U);
  EXPECT_THAT(ending(), IsEmpty());
  memory_.await_ended(t.id);
  EXPECT_THAT(ending(), ElementsAre(t.id));
  EXPECT_EQ(memory_.withdraw(quick), &t);
  EXPECT_EQ(replicas_.ledger().waiting(), 0U);
}

TEST_F(engine_decisions, the_outputs_of_a_task_that_fails_are_poisoned) {
  const data_id x = buffer(16);
  placed_task& writer = add({{x, access_mode::write}});
  placed_task& reader = add({{x, access_mode::read}});
  finisher_.finish(writer, failure(failure_code::task_failed, "It fails."));
  EXPECT_TRUE(content_.content_of(x).poison_of(buffers_.find(x)->all));
  EXPECT_EQ(reader.poisoned.code(), failure_code::dependency_failed);
  finisher_.finish_due();
  ASSERT_EQ(actions<complete>().size(), 2U);
  EXPECT_EQ(state_.ended, 2U);
  EXPECT_EQ(tasks_.size(), 0U);
}

TEST_F(engine_decisions, a_cancelled_task_is_complete_before_those_in_front_of_it_have_ended) {
  const data_id x = buffer(16);
  placed_task& writer = add({{x, access_mode::write}});
  placed_task& reader = add({{x, access_mode::read}});
  finisher_.cancel(reader, failure(failure_code::cancelled, "It is cancelled."));
  EXPECT_EQ(actions<complete>().size(), 1U);
  EXPECT_THAT(ending(), IsEmpty());
  finisher_.finish(writer, {});
  EXPECT_THAT(ending(), ElementsAre(reader.id));
}

TEST_F(engine_decisions, who_reads_a_copy_that_failed_fails) {
  const data_id x = buffer(16);
  write(x, host);
  placed_task& t = add({{x, access_mode::read}});
  t.run.device = quick;
  replicas_.take_block(x, near_host);
  issuer_.issue(t);
  const command_record copy = end(to_near);
  losses_.copy_ended(copy, {failure(failure_code::task_failed, "It fails."), 0ns, 0ns});
  EXPECT_TRUE(t.poisoned);
  EXPECT_FALSE(content_.valid(x, t.accesses[0].region(), near_host));
  EXPECT_TRUE(content_.valid(x, t.accesses[0].region(), host));
}

TEST_F(engine_decisions, tasks_of_a_lost_device_fail_or_begin_an_attempt_elsewhere) {
  placed_task& runs = add({});
  runs.run.device = quick;
  ASSERT_TRUE(issuer_.issue_present(runs, 0));
  placed_task& queued = add({});
  queues_.enqueue(queued, quick);
  losses_.lose_device(quick, failure(failure_code::device_lost, "It is lost."));
  EXPECT_THAT(ending(), ElementsAre(runs.id));
  EXPECT_EQ(queued.phase, task_phase::queued);
  EXPECT_EQ(queued.run.device, slow);
  EXPECT_EQ(queues_.pick(slow), &queued);
  EXPECT_FALSE(devices_[quick.value].alive());
}

}  // namespace
}  // namespace hocket::placement
