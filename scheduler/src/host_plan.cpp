// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "host_plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "run_state.hpp"

namespace hocket::detail {

namespace {

constexpr std::size_t most_spare_states = 8;

}  // namespace

host_plan::host_plan(recorded_functions_ptr functions) : owner_(std::move(functions)) {}

host_plan::~host_plan() = default;

void host_plan::refuse_more() {
  throw std::length_error("A graph has at most 2^31 tasks, and so many edges.");
}

void host_plan::keep_label(const task_label& label) {
  labels_.resize(size_ + 1);
  labels_.back() = label;
}

void host_plan::choose(plan_choice made) {
  choice_of_.resize(size_, plan_choice::none);
  choice_of_.back() = static_cast<std::uint32_t>(choices_.size());
  choices_.push_back(std::move(made));
}

void host_plan::close_body(std::uint32_t node, body_mark begin,
                           std::span<const std::uint32_t> ends) {
  const auto edges = std::span(after_).subspan(begin.edges);
  plan_body body;
  body.tasks = static_cast<std::uint32_t>(size_ - begin.tasks);
  body.starts = static_cast<std::uint32_t>(std::ranges::count(edges, node));
  body.ends = static_cast<std::uint32_t>(ends.size());
  plan_choice& owner = choices_[choice_of_[node]];
  owner.tasks += body.tasks;
  owner.bodies.push_back(body);
  for (const std::uint32_t end : ends) back_.push_back({end, node, ends.size() == 1});
}

std::vector<std::uint32_t> host_plan::after() const {
  if (next_.empty()) return after_;
  // Backwards from what comes next: in ascending order, as the functions before are met.
  std::vector<std::size_t> at(size_ + 1, 0);
  for (std::size_t node = 0; node < size_; ++node) at[node + 1] = at[node] + order_[node].before;
  std::vector<std::uint32_t> lists(next_.size());
  for (std::uint32_t node = 0; node < size_; ++node) {
    for (const successor each : next(node)) lists[at[each.node()]++] = node;
  }
  return lists;
}

void host_plan::seal() {
  functions_ = owner_->list().data();
  link();
}

void host_plan::seal(std::vector<recorded_function*>&& functions) {
  gathered_ = std::move(functions);
  functions_ = gathered_.data();
  link();
}

void host_plan::link() {
  if (!choices_.empty()) choice_of_.resize(size_, plan_choice::none);
  starts_.reserve(without_edges_);
  // first_next counts first, says then where each list ends, and last where it begins.
  for (const std::uint32_t each : after_) ++order_[each].first_next;
  for (const way_back& each : back_) ++order_[each.from].first_next;
  std::uint32_t sum = 0;
  for (std::uint32_t node = 0; node < size_; ++node) {
    place& each = order_[node];
    each.first_next = sum += each.first_next;
    if (each.before == 0) starts_.push_back(node);
  }
  order_.push_back({0, sum});
  next_.resize(after_.size() + back_.size());
  // Ways back are the last of what comes next, the bodies of a choice the first.
  for (const way_back& each : back_) {
    next_[--order_[each.from].first_next] = successor(each.to, !each.alone);
  }
  std::size_t at = after_.size();
  for (std::uint32_t node = static_cast<std::uint32_t>(size()); node-- > 0;) {
    const std::uint32_t before = order_[node].before;
    for (std::uint32_t i = 0; i < before; ++i) {
      next_[--order_[after_[--at]].first_next] = successor(node, before > 1);
    }
  }
  after_ = decltype(after_)();  // `= {}` would keep the memory
  back_ = decltype(back_)();
}

std::span<const host_plan::successor> host_plan::next(std::uint32_t node, const plan_choice& choice,
                                                      std::size_t body) const noexcept {
  std::size_t first = 0;
  for (std::size_t i = 0; i < body; ++i) first += choice.bodies[i].starts;
  return next(node).subspan(first, choice.bodies[body].starts);
}

std::span<const host_plan::successor> host_plan::next_after(
    std::uint32_t node, const plan_choice& choice) const noexcept {
  std::size_t first = 0;
  for (const plan_body& each : choice.bodies) first += each.starts;
  return next(node).subspan(first);
}

std::unique_ptr<run_state> host_plan::state_for_run() {
  {
    const std::lock_guard lock(guard_);
    if (!spare_.empty()) {
      std::unique_ptr<run_state> last = std::move(spare_.back());
      spare_.pop_back();
      last->make_ready();
      return last;
    }
  }
  return std::make_unique<run_state>(*this);
}

void host_plan::give_back(std::unique_ptr<run_state> state) noexcept {
  const std::lock_guard lock(guard_);
  try {
    if (spare_.size() < most_spare_states) spare_.push_back(std::move(state));
  } catch (const std::bad_alloc&) {
    // The next run makes another one.
  }
}

}  // namespace hocket::detail
