// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/policy_chooser.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "placement/time_counts.hpp"

namespace hocket::placement {

namespace {

nanoseconds rank_of(const placed_task& t) {
  const auto chain = static_cast<double>(t.upward);
  return chain < count(longest_sum) ? nanoseconds(static_cast<nanoseconds::rep>(chain))
                                    : longest_sum;
}

}  // namespace

void policy_chooser::add_option(const task_costs& costs, device_id device,
                                const device_view& devices) {
  if (!costs.can_run(device)) return;
  const data_cost& data = costs.data(device);
  options_.push_back({.device = device.value,
                      .time = costs.time(device),
                      .backlog = devices.backlog(device),
                      .arrival = devices.arrival(data, device),
                      .copies = data.moving(),
                      .lanes = devices.lanes(device),
                      .tasks = devices.tasks(device),
                      .room = devices.room(device),
                      .watts = devices.watts(device)});
}

placement_task policy_chooser::describe(const placed_task& t, const device_view& devices) {
  options_.clear();
  const task_costs costs = devices.costs(t);
  for (std::size_t i = 0; i < devices.count(); ++i) add_option(costs, device_id{i}, devices);
  return task_with_options(t);
}

placement_task policy_chooser::describe(const placed_task& t, device_id one, device_id other,
                                        const device_view& devices) {
  options_.clear();
  const task_costs costs = devices.costs(t);
  add_option(costs, std::min(one, other), devices);
  add_option(costs, std::max(one, other), devices);
  return task_with_options(t);
}

placement_task policy_chooser::task_with_options(const placed_task& t) {
  accesses_.clear();
  for (const task_access& a : t.accesses) {
    accesses_.push_back({.buffer = a.data.value,
                         .region = &a.region(),
                         .bytes = a.region().elements() * a.buffer->element_size,
                         .mode = a.mode});
  }
  return {.label = t.label_text(),
          .kernel = t.launch->kernel->name,
          .number = t.age,
          .priority = t.priority,
          .rank = rank_of(t),
          .accesses = accesses_,
          .options = options_};
}

const placement_option* policy_chooser::option_at(device_id device) const {
  const auto found = std::ranges::find(options_, device.value, &placement_option::device);
  return found == options_.end() ? nullptr : &*found;
}

void policy_chooser::complain(const std::string& why) {
  if (has_complained_) return;
  has_complained_ = true;
  std::fprintf(stderr,
               "hocket: the placement policy %s; the device where the task ends first is taken, "
               "and this is said once.\n",
               why.c_str());
}

std::size_t policy_chooser::ask(const placement_task& task) {
  try {
    const std::size_t chosen = policy_->choose(task);
    if (option_at(device_id{chosen}) != nullptr) return chosen;
    complain("chose device " + std::to_string(chosen) + " for task \"" + std::string(task.label) +
             "\", which cannot run there");
  } catch (const std::exception& e) {
    complain(std::string("threw: ") + e.what());
  } catch (...) {
    complain("threw something that is no std::exception");
  }
  return std::ranges::min_element(options_, {}, &placement_option::end)->device;
}

std::optional<device_id> policy_chooser::choose(const placed_task& t, const device_view& devices) {
  const placement_task task = describe(t, devices);
  if (options_.empty()) return std::nullopt;
  return device_id{options_.size() == 1 ? options_.front().device : ask(task)};
}

bool policy_chooser::begin_round(const device_view& devices, const round_news& news) {
  if (moment_ == placement_moment::by_rank) return news.any();
  for (std::size_t i = 0; i < devices.count(); ++i) {
    if (devices.room(device_id{i}) > 0) return true;
  }
  return false;
}

std::optional<placement_decision> policy_chooser::decide(const placed_task& t,
                                                         const device_view& devices) {
  const std::optional<device_id> chosen = choose(t, devices);
  if (!chosen) return std::nullopt;
  const bool is_final = moment_ == placement_moment::by_rank || option_at(*chosen)->room > 0;
  return placement_decision{*chosen, is_final};
}

bool policy_chooser::should_steal(const placed_task& t, device_id idle,
                                  const device_view& devices) {
  const placement_task task = describe(t, idle, t.run.device, devices);
  const placement_option* const to = option_at(idle);
  if (to == nullptr) return false;
  const placement_option* const from = option_at(t.run.device);
  // Its device has refused the kernel since.
  if (from == nullptr) return true;
  try {
    return policy_->should_move(task, *from, *to);
  } catch (...) {
    complain("threw when it was asked whether a task should move");
    return false;
  }
}

}  // namespace hocket::placement
