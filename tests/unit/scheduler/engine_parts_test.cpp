// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The tables of the placement engine, each alone.

#include "engine_parts.hpp"

namespace hocket::placement {
namespace {

TEST_F(engine_parts, a_task_has_one_edge_from_each_earlier_one_in_the_order_of_their_age) {
  const data_id x = buffer(4), y = buffer(4);
  const placed_task& writer = add({{x, access_mode::write}, {y, access_mode::write}});
  const placed_task& reader = add({{x, access_mode::read}});
  const placed_task& last = add({{x, access_mode::write}, {y, access_mode::read}});
  EXPECT_EQ(before(last), (std::vector{writer.id, reader.id}));
  EXPECT_EQ(last.edges[0].kind, edge_kind::content) << "it reads y, and only replaces x";
  EXPECT_EQ(last.edges[1].kind, edge_kind::order);
  EXPECT_EQ(last.blockers, 1U);
  EXPECT_EQ(last.order, 1U);
}

TEST_F(engine_parts, a_task_that_writes_what_it_reads_is_bound_to_the_writer_before) {
  const data_id x = buffer(4);
  const placed_task& writer = add({{x, access_mode::write}});
  const placed_task& both = add({{x, access_mode::write}, {x, access_mode::read}});
  EXPECT_EQ(before(both), std::vector{writer.id});
  EXPECT_EQ(both.edges.front().kind, edge_kind::content);
}

TEST_F(engine_parts, edges_go_with_the_task_at_either_end) {
  const data_id x = buffer(4);
  placed_task& writer = add({{x, access_mode::write}});
  placed_task& first = add({{x, access_mode::read}});
  const placed_task& second = add({{x, access_mode::read}});
  std::vector<task_id> after;
  const auto note = [&](const placed_task& each) { after.push_back(each.id); };
  const task_ref gone_reader = tasks_.remove(first);
  writer.each_after(note);
  EXPECT_EQ(after, std::vector{second.id});
  const task_ref gone_writer = tasks_.remove(writer);
  EXPECT_EQ(gone_writer->phase, task_phase::ended);
  EXPECT_TRUE(before(second).empty());
  EXPECT_FALSE(second.edges.empty()) << "that it came after others is still known";
}

TEST_F(engine_parts, tasks_in_a_nested_domain_are_ordered_with_one_another_alone) {
  const data_id x = buffer(4);
  const placed_task& writer = add({{x, access_mode::write}});
  placed_task& domain = add({{x, access_mode::update}}, task_kind::domain);
  EXPECT_EQ(before(domain), std::vector{writer.id});
  domain.opened = std::make_unique<open_domain>();
  domain.opened->histories.cover(x);
  const placed_task& inner = add({{x, access_mode::write}}, task_kind::launch, domain.id);
  EXPECT_TRUE(before(inner).empty());
  const placed_task& next = add({{x, access_mode::read}}, task_kind::launch, domain.id);
  EXPECT_EQ(before(next), std::vector{inner.id});
  EXPECT_EQ(domain.opened->tasks, 3U) << "two, and its release";
}

TEST_F(engine_parts, a_replica_that_is_used_twice_needs_one_block_and_has_one_pin) {
  const data_id x = buffer(256);
  placed_task& t = add({{x, access_mode::read}, {x, access_mode::read}});
  ASSERT_EQ(replicas_.needs_of(t, near_host), (std::vector<need>{{near_host, 1024}}));
  replicas_.take_block(x, near_host);
  replicas_.take_block(x, near_host);
  EXPECT_EQ(replicas_.ledger().used(near_host), 1024U);
  EXPECT_EQ(replicas_.peak(near_host), 1024U);
  EXPECT_TRUE(replicas_.needs_of(t, near_host).empty());
  replicas_.pin(t, near_host);
  EXPECT_TRUE(content_.pinned(x, near_host));
  EXPECT_TRUE(replicas_.unpin(t, near_host));
  EXPECT_FALSE(content_.pinned(x, near_host)) << "it was pinned once";
  EXPECT_FALSE(replicas_.unpin(t, near_host));
}

TEST_F(engine_parts, bytes_that_will_be_free_are_not_lacking) {
  const data_id x = buffer(1024);
  replicas_.take_block(x, near_host);
  replicas_.ledger().request(task_id{7}, 0, {{near_host, gigabyte - 1000}});
  EXPECT_EQ(replicas_.lacking(near_host), 3096U);
  const released_block freed = content_.evict(x, near_host);
  replicas_.begin_release(freed);
  EXPECT_TRUE(replicas_.awaits_blocks(near_host));
  EXPECT_EQ(replicas_.lacking(near_host), 0U);
  replicas_.end_release(freed.block, freed.memory, freed.bytes);
  EXPECT_FALSE(replicas_.awaits_blocks(near_host));
  EXPECT_EQ(replicas_.ledger().used(near_host), 0U);
}

TEST_F(engine_parts, content_goes_by_way_of_the_host_where_there_is_no_link) {
  const data_id x = buffer(256);
  write(x, near_host);
  replicas_.take_block(x, far);
  const timepoint_set arrives = transfers_.bring(x, buffers_.find(x)->all, far, task_id{9});
  const std::vector<issue_copy> made = copies();
  ASSERT_EQ(made.size(), 1U) << "the second is issued when the first has ended";
  EXPECT_EQ(made[0].number.stream, stream_id{3}) << "from the device to the host";
  ASSERT_EQ(arrives.size(), 1U);
  EXPECT_EQ(arrives.begin()->stream, stream_id{4}) << "from the host onwards";
  EXPECT_TRUE(content_.has_block(x, host));
  EXPECT_EQ(replicas_.ledger().used(host), 1024U);
}

TEST_F(engine_parts, content_that_is_there_is_not_copied) {
  const data_id x = buffer(256);
  write(x, near_host);
  EXPECT_TRUE(transfers_.bring(x, buffers_.find(x)->all, near_host, task_id{9}).empty());
  EXPECT_TRUE(copies().empty());
}

TEST_F(engine_parts, the_device_is_chosen_where_the_task_ends_first) {
  const placed_task& t = add({});
  EXPECT_EQ(policy_.choose(t, view_), quick);
  devices_[quick.value].queued.add(1s);
  EXPECT_EQ(policy_.choose(t, view_), slow);
  devices_[slow.value].state = devices_[quick.value].state = device_state::lost;
  EXPECT_EQ(policy_.choose(t, view_), std::nullopt);
}

TEST_F(engine_parts, an_idle_device_takes_a_task_only_if_it_ends_it_earlier) {
  placed_task& t = add({});
  t.run.device = quick;
  EXPECT_FALSE(policy_.should_steal(t, slow, view_));
  devices_[quick.value].queued.add(1s);
  EXPECT_TRUE(policy_.should_steal(t, slow, view_));
}

TEST_F(engine_parts, a_device_that_cannot_bind_so_much_is_left_out) {
  const data_id x = buffer(257);
  write(x, near_host);
  const placed_task& t = add({{x, access_mode::read}});
  EXPECT_FALSE(view_.can_run(t, quick)) << "it binds 1024 bytes";
  EXPECT_TRUE(view_.can_run(t, slow)) << "it has no limit";
}

TEST_F(engine_parts, a_device_that_cannot_bind_memory_of_the_program_is_left_out) {
  const data_id x = buffer(10, structure_of(12));
  write(x, near_host);
  placed_task& t = add({{x, access_mode::read}});
  const auto can_run_at = [&](std::uint64_t address, device_id device) {
    buffers_.find(x)->is_lent = true;
    buffers_.find(x)->lent_at = 7 * 4096 + address;
    const bool can = view_.can_run(t, device);
    EXPECT_EQ(view_.costs(t).can_run(device), can) << address;
    return can;
  };
  EXPECT_TRUE(can_run_at(0, quick));
  EXPECT_TRUE(can_run_at(2048 + 8, quick))
      << "whole elements before that there is a multiple of 64";
  EXPECT_FALSE(can_run_at(16, quick)) << "that place is before the memory that is imported";
  EXPECT_FALSE(can_run_at(2048 + 2, quick)) << "there is none";
  EXPECT_TRUE(can_run_at(16, slow)) << "it has no limit";
  t.on = quick;
  EXPECT_TRUE(can_run_at(16, quick)) << "where it is named it says what is wrong";
  t.on = {};
  buffers_.find(x)->is_lent = false;
  EXPECT_TRUE(view_.can_run(t, quick)) << "memory of the runtime";
}

TEST_F(engine_parts, the_trace_has_each_command_and_the_gap_before_it) {
  command_trace trace(machine_, 16);
  const placed_task& t = add({});
  command_record record;
  record.number = {stream_id{0}, 1};
  record.task = t.id;
  record.wanted = 1us;
  trace.ended(record, {{}, 2us, 5us}, &t);
  record.number.value = 2;
  trace.ended(record, {{}, 5us + 10ns, 8us}, &t);
  std::vector<trace_record> written = trace.records().snapshot();
  ASSERT_EQ(written.size(), 3U) << "the second gap is too short to tell";
  EXPECT_EQ(written[0].kind, trace_kind::wait);
  EXPECT_EQ(written[0].begin, 1us);
  EXPECT_EQ(written[0].end, 2us);
  EXPECT_EQ(written[1].kind, trace_kind::kernel);
  EXPECT_EQ(written[2].end, 8us);
}

}  // namespace
}  // namespace hocket::placement
