// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The parts that the placement engine is made of, each alone.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "placement/command_trace.hpp"
#include "placement/placement_policy.hpp"
#include "placement/task_table.hpp"
#include "placement/transfer_planner.hpp"

namespace hocket::placement {
namespace {

using namespace std::chrono_literals;

constexpr memory_id host = host_memory;
constexpr memory_id near_host{1}, far{2};
constexpr device_id slow{0}, quick{1};
constexpr std::uint64_t gigabyte = 1'000'000'000;

/// Host memory and two others. Both devices have the second; the third can be reached from the
/// second alone.
machine two_devices() {
  machine made;
  made.memories = {{"host memory", gigabyte}, {"near", gigabyte}, {"far", gigabyte}};
  for (std::size_t i = 0; i < 5; ++i) made.streams.push_back({std::nullopt, i});
  for (std::size_t i = 0; i < 2; ++i) {
    machine::device_node node;
    node.name = "Sim" + std::to_string(i);
    node.memory = near_host;
    node.compute = {stream_id{i}};
    node.formats = {kernel_format::host};
    node.runs_host_tasks = true;
    node.flops_per_second = i == 0 ? 1e9 : 2e9;
    node.largest_binding = i == 0 ? 0 : 1024;
    made.streams[i].device = device_id{i};
    made.devices.push_back(node);
  }
  made.links.resize(9);
  const auto connect = [&](memory_id from, memory_id to, std::size_t stream) {
    made.links[from.value * 3 + to.value] = machine::link{stream_id{stream}, 1e9, 0ns};
  };
  connect(host, near_host, 2);
  connect(near_host, host, 3);
  connect(host, far, 4);
  return made;
}

class engine_parts : public testing::Test {
 protected:
  engine_parts() {
    replicas_.begin(actions_);
    transfers_.begin(0ns, actions_);
  }

  /// A buffer of floats, whose content is in the memory where it is written.
  data_id buffer(std::size_t elements) {
    const data_id id{buffers_made_++};
    const index_list extents(1, elements);
    content_.add(id, extents, sizeof(float));
    tracked_buffer& made = buffers_.insert(id, tracked_buffer{});
    made.label = "x";
    made.all = box::whole(extents);
    made.element_size = sizeof(float);
    made.where = &content_.find(id);
    return id;
  }
  void write(data_id data, memory_id where) {
    replicas_.take_block(data, where);
    content_.note_write(data, buffers_.find(data)->all, where, {}, task_id{0});
  }

  using use = std::pair<data_id, access_mode>;
  placed_task& add(const std::vector<use>& uses, task_kind kind = task_kind::launch,
                   task_id within = {}) {
    task_ref made(new placed_task);
    made->id = task_id{++tasks_made_};
    made->kind = kind;
    made->within = within;
    made->launch = new counted_launch;
    kernel_definition kernel;
    kernel.name = "k";
    kernel.host = [](const host_launch&) {};
    made->launch->kernel = std::make_shared<const kernel_definition>(std::move(kernel));
    made->launch->cost.flops = 1e6;
    for (const auto& [data, mode] : uses) {
      const box& all = buffers_.find(data)->all;
      parts_.push_back(part_of_array(element_type::f32, all.end, all));
      made->accesses.push_back({data, parts_.back().get(), mode, true});
    }
    return tasks_.add(std::move(made));
  }

  [[nodiscard]] std::vector<task_id> before(const placed_task& t) const {
    std::vector<task_id> ids;
    t.each_before([&](const placed_task& each) { ids.push_back(each.id); });
    return ids;
  }
  [[nodiscard]] std::vector<issue_copy> copies() const {
    std::vector<issue_copy> all;
    for (const action& a : actions_) {
      if (const auto* copy = std::get_if<issue_copy>(&a)) all.push_back(*copy);
    }
    return all;
  }

  machine machine_ = two_devices();
  cost_model costs_{machine_};
  in_flight_table commands_{machine_};
  id_map<data_id, tracked_buffer> buffers_;
  task_table tasks_{buffers_};
  coherence content_{3};
  replica_store replicas_{machine_, content_};
  transfer_planner transfers_{machine_, costs_, buffers_, content_, replicas_, commands_};
  lane_table lanes_{machine_};
  std::vector<device_record> devices_{2};
  device_view view_{machine_, costs_, content_, replicas_, lanes_, devices_};
  earliest_end policy_;
  action_list actions_;

 private:
  std::uint64_t buffers_made_ = 0, tasks_made_ = 0;
  std::vector<array_part_ref> parts_;
};

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
  EXPECT_TRUE(replica_store::unpin(t, near_host));
  EXPECT_FALSE(content_.pinned(x, near_host)) << "it was pinned once";
  EXPECT_FALSE(replica_store::unpin(t, near_host));
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
  devices_[quick.value].queued = 1s;
  EXPECT_EQ(policy_.choose(t, view_), slow);
  devices_[slow.value].alive = devices_[quick.value].alive = false;
  EXPECT_EQ(policy_.choose(t, view_), std::nullopt);
}

TEST_F(engine_parts, an_idle_device_takes_a_task_only_if_it_ends_it_earlier) {
  placed_task& t = add({});
  t.run.device = quick;
  EXPECT_FALSE(policy_.should_steal(t, slow, view_));
  devices_[quick.value].queued = 1s;
  EXPECT_TRUE(policy_.should_steal(t, slow, view_));
}

TEST_F(engine_parts, a_device_that_cannot_bind_so_much_is_left_out) {
  const data_id x = buffer(257);
  write(x, near_host);
  const placed_task& t = add({{x, access_mode::read}});
  EXPECT_FALSE(view_.can_run(t, quick)) << "it binds 1024 bytes";
  EXPECT_TRUE(view_.can_run(t, slow)) << "it has no limit";
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
