// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "host_plan.hpp"

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

void host_plan::seal() {
  functions_ = owner_->list().data();
  starts_.reserve(without_edges_);
  // first_next counts first, says then where each list ends, and last where it begins.
  for (const std::uint32_t each : after_) ++order_[each].first_next;
  std::uint32_t sum = 0;
  for (std::uint32_t node = 0; node < size_; ++node) {
    place& each = order_[node];
    each.first_next = sum += each.first_next;
    if (each.before == 0) starts_.push_back(node);
  }
  order_.push_back({0, sum});
  next_.resize(after_.size());
  std::size_t at = after_.size();
  for (std::uint32_t node = static_cast<std::uint32_t>(size()); node-- > 0;) {
    const std::uint32_t before = order_[node].before;
    for (std::uint32_t i = 0; i < before; ++i) {
      next_[--order_[after_[--at]].first_next] = successor(node, before > 1);
    }
  }
  after_ = decltype(after_)();  // `= {}` would keep the memory
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
