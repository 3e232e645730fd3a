// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

// The tables of a placement engine for two devices, and tasks and buffers to fill them.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "placement/engine_state.hpp"
#include "placement/policies/policies.hpp"
#include "placement/policy_chooser.hpp"

namespace hocket::placement {

using namespace std::chrono_literals;

inline constexpr memory_id host = host_memory;
inline constexpr memory_id near_host{1}, far{2};
inline constexpr device_id slow{0}, quick{1};
inline constexpr std::uint64_t gigabyte = 1'000'000'000;

/// Host memory and two others. Both devices have the second; the third can be reached from the
/// second alone.
inline machine two_devices() {
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
    node.binding_unit = i == 0 ? 1 : 64;
    node.import_unit = i == 0 ? 1 : 4096;
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
    state_.work.begin(actions_);
    replicas_.begin(actions_);
    transfers_.begin(0ns, actions_);
  }

  /// A buffer, of floats by default, whose content is in the memory where it is written.
  data_id buffer(std::size_t elements, element_type type = element_type::f32) {
    const data_id id{buffers_made_++};
    const index_list extents(1, elements);
    content_.add(id, extents, size_of(type));
    tracked_buffer& made = buffers_.insert(id, tracked_buffer{});
    made.id = id;
    made.label = "x";
    made.all = box::whole(extents);
    made.type = type;
    made.element_size = size_of(type);
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
      parts_.push_back(part_of_array(buffers_.find(data)->type, all.end, all));
      made->accesses.push_back({data, parts_.back().get(), mode, true});
    }
    return tasks_.add(std::move(made));
  }

  [[nodiscard]] std::vector<task_id> before(const placed_task& t) const {
    std::vector<task_id> ids;
    t.each_before([&](const placed_task& each) { ids.push_back(each.id); });
    return ids;
  }
  template <class Action>
  [[nodiscard]] std::vector<Action> actions() const {
    std::vector<Action> all;
    for (const action& a : actions_) {
      if (const auto* one = std::get_if<Action>(&a)) all.push_back(*one);
    }
    return all;
  }
  [[nodiscard]] std::vector<issue_copy> copies() const { return actions<issue_copy>(); }

  engine_state state_{
      two_devices(), {.spans = 16}, std::make_unique<policy_chooser>(make_earliest_end())};
  const machine& machine_ = state_.nodes;
  in_flight_table& commands_ = state_.commands;
  id_map<data_id, tracked_buffer>& buffers_ = state_.buffers;
  task_table& tasks_ = state_.tasks;
  coherence& content_ = state_.content;
  replica_store& replicas_ = state_.replicas;
  transfer_planner& transfers_ = state_.transfers;
  std::vector<device_record>& devices_ = state_.devices;
  device_view& view_ = state_.view;
  policy_chooser policy_{make_earliest_end()};
  action_list actions_;

 private:
  std::uint64_t buffers_made_ = 0, tasks_made_ = 0;
  std::vector<array_part_ref> parts_;
};

}  // namespace hocket::placement
