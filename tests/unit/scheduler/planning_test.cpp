// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The parts that plans for many devices rest on, each against the slow way to the same answer.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "placement/device_plans.hpp"
#include "placement/engine_state.hpp"
#include "placement/idle_times.hpp"
#include "placement/launch_times.hpp"
#include "placement/replanning.hpp"

namespace hocket::placement {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t many = 12;

/// Devices of different speeds, each with a memory of its own behind a link of its own.
machine many_devices() {
  machine made;
  const std::size_t memories = many + 1;
  made.memories.assign(memories, {"memory", std::uint64_t{1} << 40U});
  made.links.resize(memories * memories);
  const auto add_stream = [&](std::optional<device_id> device) {
    made.streams.push_back({device, made.streams.size()});
    return stream_id{made.streams.size() - 1};
  };
  for (std::size_t i = 0; i < many; ++i) {
    machine::device_node node;
    node.name = "Sim" + std::to_string(i);
    node.memory = memory_id{i + 1};
    node.compute = {add_stream(device_id{i})};
    node.formats = {kernel_format::host};
    node.flops_per_second = 1e9 * static_cast<double>(1 + i % 4);
    node.launch_latency = 5us;
    made.devices.push_back(node);
    made.links[i + 1] = machine::link{add_stream(std::nullopt), 1e9, 1us};
    made.links[(i + 1) * memories] = machine::link{add_stream(std::nullopt), 1e9, 1us};
  }
  return made;
}

class planning : public ::testing::Test {
 protected:
  static kernel_ref kernel_called(const std::string& name) {
    kernel_definition made;
    made.name = name;
    made.host = [](const host_launch&) {};
    return std::make_shared<const kernel_definition>(std::move(made));
  }
  static launch_command launch_of(const kernel_ref& kernel, double flops) {
    launch_command made;
    made.kernel = kernel;
    made.cost.flops = flops;
    return made;
  }
  /// A task that reads these buffers.
  placed_task& add(const kernel_ref& kernel, double flops, const std::vector<data_id>& data) {
    task_ref made(new placed_task);
    made->id = task_id{++tasks_made_};
    made->launch = new counted_launch(launch_of(kernel, flops));
    for (const data_id each : data) {
      const box& all = state_.buffers.find(each)->all;
      parts_.push_back(part_of_array(element_type::f32, all.end, all));
      made->accesses.push_back({each, parts_.back().get(), access_mode::read, true});
    }
    return state_.tasks.add(std::move(made));
  }
  /// A buffer whose content is in the memory.
  data_id buffer_in(memory_id memory, std::size_t elements) {
    const data_id id{buffers_made_++};
    const index_list extents(1, elements);
    state_.content.add(id, extents, sizeof(float));
    tracked_buffer& made = state_.buffers.insert(id, tracked_buffer{});
    made.id = id;
    made.all = box::whole(extents);
    made.element_size = sizeof(float);
    made.where = &state_.content.find(id);
    put(id, made.all, memory);
    return id;
  }
  /// The content of the region is in this memory from now on, and nowhere else.
  void put(data_id data, const box& region, memory_id memory) {
    if (blocks_.insert({data, memory}).second) state_.replicas.take_block(data, memory);
    state_.content.note_write(data, region, memory, {}, task_id{0});
    ++state_.buffers.find(data)->changes;
  }
  memory_id any_memory() { return memory_id{below(many + 1)}; }
  std::vector<data_id> some_buffers() {
    std::vector<data_id> made;
    for (std::size_t i = 0; i <= below(3); ++i) {
      made.push_back(buffer_in(any_memory(), 1 + below(500'000)));
    }
    return made;
  }
  /// One copy in each direction occupies the links between the host and the memory for so long.
  void occupy_links(memory_id memory, nanoseconds takes) {
    action_list actions;
    for (const auto& link : {state_.nodes.link_between(host_memory, memory),
                             state_.nodes.link_between(memory, host_memory)}) {
      state_.commands.plan<issue_copy>(state_.commands.next(link->stream), takes, {}, actions,
                                       block_id{}, block_id{}, index_list{}, sizeof(float), box{},
                                       std::uint64_t{0});
    }
  }
  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }

  planning() { state_.replicas.begin(actions_); }

  action_list actions_;
  engine_state state_{many_devices(), {}, std::make_unique<replanning>()};
  std::mt19937 random_{7};

 private:
  std::uint64_t buffers_made_ = 0, tasks_made_ = 0;
  std::vector<array_part_ref> parts_;
  std::set<std::pair<data_id, memory_id>> blocks_;
};

TEST_F(planning, times_of_a_launch_are_those_that_the_model_predicts) {
  const std::vector<kernel_ref> kernels = {kernel_called("a"), kernel_called("b")};
  for (int i = 0; i < 2000; ++i) {
    const launch_command task =
        launch_of(kernels[below(2)], static_cast<double>(std::uint64_t{1} << below(40)));
    const launch_times& times = state_.task_times.times_of(task);
    for (std::size_t d = 0; d < many; ++d) {
      const nanoseconds predicted = state_.costs.predict(task, device_id{d});
      EXPECT_LE(std::chrono::abs(times.on[d].time - predicted), predicted / 100000 + 1ns);
      EXPECT_LE(times.on[times.fastest.value].time, times.on[d].time);
    }
    if (i % 10 == 0) {
      const device_id device{below(many)};
      state_.costs.measured(task, device, state_.costs.predict(task, device) * (1 + below(3)));
    }
  }
}

TEST_F(planning, a_lost_device_has_no_times) {
  const launch_command task = launch_of(kernel_called("k"), 1e9);
  const device_id fastest = state_.task_times.times_of(task).fastest;
  state_.devices[fastest.value].state = device_state::lost;
  state_.costs.note_change();
  const launch_times& times = state_.task_times.times_of(task);
  EXPECT_FALSE(times.on[fastest.value].can_run);
  EXPECT_NE(times.fastest, fastest);
}

TEST_F(planning, kernels_of_one_name_with_other_parameters_have_times_of_their_own) {
  kernel_definition made = *kernel_called("k");
  made.parameters.resize(1);
  made.host = nullptr;
  const kernel_ref without_body = std::make_shared<const kernel_definition>(made);
  const kernel_ref with_body = kernel_called("k");
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(state_.task_times.times_of(launch_of(without_body, 1e6)).fastest.valid());
    EXPECT_TRUE(state_.task_times.times_of(launch_of(with_body, 1e6)).fastest.valid());
  }
}

// Kept costs of copies are those of asking for each copy anew, whatever happened since.
TEST_F(planning, data_cost_what_their_copies_cost) {
  std::vector<placed_task*> tasks;
  const auto copies_to = [&](memory_id memory, const placed_task& t) {
    data_cost made;
    for (const task_access& a : t.accesses) {
      state_.content.for_missing(
          a.data, a.region(), memory, [&](const box& part, std::span<const memory_id> holders) {
            const std::uint64_t bytes = part.elements() * sizeof(float);
            memory_id from = host_memory;
            if (memory != host_memory && std::ranges::find(holders, from) == holders.end()) {
              made.over_first += state_.costs.copies().predict(holders[0], from, bytes);
            } else if (memory == host_memory) {
              from = holders[0];
            }
            made.over_last += state_.costs.copies().predict(from, memory, bytes);
          });
    }
    return made;
  };
  const kernel_ref kernel = kernel_called("k");
  for (int i = 0; i < 3000; ++i) {
    if (tasks.size() < 8) {
      tasks.push_back(&add(kernel, 1e6, some_buffers()));
      if (below(2) == 0) state_.task_times.keep(*tasks.back());
    }
    const std::size_t at = below(tasks.size());
    const placed_task& t = *tasks[at];
    const task_access& moved = t.accesses[below(t.accesses.size())];
    box region = moved.region();
    if (below(8) == 0) region.end[0] = 1 + below(region.end[0]);
    if (below(2) == 0) put(moved.data, region, any_memory());
    if (below(4) == 0) {
      const memory_id memory{1 + below(many)};
      state_.costs.copies().measured(host_memory, memory, 1 + below(2'000'000),
                                     nanoseconds(below(2'000'000)));
      state_.costs.note_change();  // smaller changes are not looked at
    }
    const task_costs costs = state_.view.costs(t);
    for (std::size_t d = 0; d < many; ++d) {
      const data_cost expected = copies_to(memory_id{d + 1}, t);
      const data_cost& found = costs.data(device_id{d});
      ASSERT_EQ(found.over_first, expected.over_first);
      ASSERT_EQ(found.over_last, expected.over_last);
      ASSERT_TRUE(costs.has_data(device_id{d}) ||
                  costs.earliest_elsewhere() <= state_.view.arrival(found, device_id{d}));
    }
    if (below(4) == 0) {
      state_.task_times.forget(*tasks[at]);
      tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

TEST_F(planning, a_kernel_at_the_address_of_another_has_times_of_its_own) {
  // Both have the same name, work and address, but only one of them has a body.
  kernel_definition place = *kernel_called("k");
  const auto kernel_here = [&] { return kernel_ref(&place, [](const kernel_definition*) {}); };
  EXPECT_TRUE(state_.task_times.times_of(launch_of(kernel_here(), 1e6)).fastest.valid());
  place.host = nullptr;
  EXPECT_FALSE(state_.task_times.times_of(launch_of(kernel_here(), 1e6)).fastest.valid());
}

TEST_F(planning, devices_are_in_the_order_in_which_they_are_free) {
  device_plans plans;
  EXPECT_TRUE(plans.look_at(state_.view));
  plans.begin(state_.view, false);
  for (int i = 0; i < 500; ++i) {
    const device_id device{below(many)};
    plans.put_off(device, plans.free_at(device) + nanoseconds(below(100)));
    const auto& order = plans.in_order();
    ASSERT_EQ(order.size(), many);
    for (std::size_t at = 0; at < many; ++at) {
      ASSERT_EQ(order[at].at, plans.free_at(order[at].device));
      ASSERT_TRUE(at == 0 || plans.comes_before(order[at - 1].device, order[at].device));
    }
  }
}

TEST_F(planning, room_that_no_task_took_is_useless_until_there_is_more) {
  device_plans plans;
  (void)plans.look_at(state_.view);
  plans.begin(state_.view, false);
  EXPECT_EQ(plans.useful_rooms(), 2 * many);
  for (std::size_t i = 1; i < many; ++i) {
    plans.take_room(device_id{i});
    plans.take_room(device_id{i});
  }
  EXPECT_EQ(plans.useful_rooms(), 2U);
  EXPECT_TRUE(plans.look_at(state_.view)) << "nothing was queued";
  plans.begin(state_.view, true);
  EXPECT_EQ(plans.rooms(), 2 * many);
  EXPECT_EQ(plans.useful_rooms(), 2 * (many - 1)) << "the first device got nothing";
  (void)plans.look_at(state_.view);
  plans.begin(state_.view, false);
  EXPECT_EQ(plans.useful_rooms(), 2 * many);
}

TEST_F(planning, devices_are_not_idle_while_no_task_is_pending) {
  idle_times idle(state_);
  const auto look_at = [&](time_stamp now) {
    state_.now = now;
    idle.look_around(false);
  };
  look_at(time_stamp{0});
  for (int i = 0; i < 2; ++i) {
    placed_task& t = add(kernel_called("k"), 1e6, {});
    look_at(time_stamp{i * 100ms});
    (void)state_.tasks.remove(t);
    look_at(time_stamp{i * 100ms + 10ms});
  }
  EXPECT_EQ(idle.of(device_id{3}).no_task, 20ms);
}

TEST_F(planning, a_device_has_more_room_while_its_links_are_busy) {
  const device_id device{3};
  device_record& record = state_.devices[device.value];
  state_.costs.copies().measured(host_memory, memory_id{4}, 1000, 1ms);
  record.waiting = 2;
  const auto room_behind = [&](nanoseconds queued) {
    record.queued.clear();
    record.queued.add(queued);
    return state_.view.room(device);
  };
  EXPECT_EQ(room_behind(900us), 1U);
  EXPECT_EQ(room_behind(1100us), 0U) << "a copy takes 1 ms, and links are idle";

  state_.commands.begin(time_stamp{0}, 10ms);
  occupy_links(memory_id{4}, 1s);
  state_.commands.begin(time_stamp{1s}, 10ms);
  EXPECT_EQ(room_behind(3900us), 1U);
  EXPECT_EQ(room_behind(4100us), 0U);
}

TEST_F(planning, a_short_look_finds_whether_a_device_has_gained_room) {
  device_plans plans;
  state_.costs.copies().measured(host_memory, memory_id{4}, 1000, 1ms);
  std::size_t gained = 0;
  for (int i = 0; i < 500; ++i) {
    for (device_record& each : state_.devices) {
      if (below(24) > 0) continue;
      each.waiting = below(5);
      each.queued.clear();
      each.queued.add(nanoseconds(below(5'000'000)));
    }
    const bool expected = plans.have_gained(state_.view);
    ASSERT_EQ(plans.look_at(state_.view), expected);
    gained += expected ? 1 : 0;
    plans.begin(state_.view, false);
    for (std::size_t d = 0; d < many; ++d) {
      if (below(40) == 0 && plans.room(device_id{d}) > 0) plans.take_room(device_id{d});
    }
  }
  EXPECT_GT(gained, 50U);
  EXPECT_LT(gained, 450U);
}

// Where a task was planned before is looked at first, and makes no difference.
TEST_F(planning, plans_do_not_depend_on_earlier_ones_where_all_is_planned_anew) {
  const kernel_ref kernel = kernel_called("k");
  std::vector<placed_task*> tasks;
  for (int i = 0; i < 8; ++i) {
    tasks.push_back(&add(kernel, 1e6 * static_cast<double>(1 + below(5)), some_buffers()));
    state_.task_times.keep(*tasks.back());
  }
  replanning with_plans;
  const round_news all_anew{.tasks = false, .estimates = true};
  for (int i = 0; i < 300; ++i) {
    for (device_record& each : state_.devices) {
      each.waiting = 16;
      each.queued.clear();
      each.queued.add(nanoseconds(below(3'000'000)));
    }
    state_.devices[below(many)].waiting = 0;
    replanning without;
    ASSERT_TRUE(with_plans.begin_round(state_.view, all_anew));
    ASSERT_TRUE(without.begin_round(state_.view, all_anew));
    for (const placed_task* const t : tasks) {
      const auto one = with_plans.decide(*t, state_.view), other = without.decide(*t, state_.view);
      ASSERT_TRUE(one && other);
      ASSERT_EQ(one->device, other->device);
      ASSERT_EQ(one->is_final, other->is_final);
    }
  }
}

// The first devices in the order in which they are free are enough to find the best of all.
TEST_F(planning, a_task_goes_where_it_ends_first_of_all) {
  const kernel_ref kernel = kernel_called("k");
  replanning policy;
  for (int i = 0; i < 500; ++i) {
    for (device_record& each : state_.devices) {
      each.queued.clear();
      each.queued.add(nanoseconds(below(3'000'000)));
    }
    const placed_task& t = add(kernel, 1e6 * static_cast<double>(1 + below(5)), some_buffers());
    const auto end_on = [&](device_id device) {
      const task_costs costs = state_.view.costs(t);
      const nanoseconds arrival = state_.view.arrival(costs.data(device), device);
      return std::max(state_.view.backlog(device), arrival) + costs.time(device);
    };
    nanoseconds earliest = nanoseconds::max();
    for (std::size_t d = 0; d < many; ++d) earliest = std::min(earliest, end_on(device_id{d}));
    const std::optional<device_id> chosen = policy.choose(t, state_.view);
    ASSERT_TRUE(chosen.has_value());
    EXPECT_EQ(end_on(*chosen), earliest);
  }
}

}  // namespace
}  // namespace hocket::placement
