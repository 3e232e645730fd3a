// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "host_plan.hpp"

#include <stdexcept>

#include "run_state.hpp"

namespace hocket::detail {

namespace {

constexpr std::size_t most_spare_states = 8;
constexpr std::size_t most_functions = std::size_t{1} << 31U;

}  // namespace

host_plan::host_plan() = default;

host_plan::~host_plan() = default;

bool host_plan::can_hold(const recorded_function& function) noexcept {
  const host_options& o = function.options();
  return o.priority == 0 && !o.stop.stop_possible() && !o.arena && o.via == nullptr && !o.cheap &&
         !o.gathers;
}

void host_plan::add(recorded_function_ptr function, std::span<const std::uint32_t> after) {
  if (size() + 1 == most_functions || after_.size() + after.size() >= most_functions) {
    throw std::length_error("A graph has at most 2^31 tasks, and so many edges.");
  }
  listens_ = listens_ || function->listens();
  if (after.empty()) starts_.push_back(static_cast<std::uint32_t>(size()));
  functions_.push_back(std::move(function));
  order_.push_back({static_cast<std::uint32_t>(after.size()), 0});
  after_.insert(after_.end(), after.begin(), after.end());
}

void host_plan::seal() {
  order_.push_back({});
  // first_next counts first, says then where each list ends, and last where it begins.
  for (const std::uint32_t each : after_) ++order_[each].first_next;
  std::uint32_t sum = 0;
  for (place& each : order_) each.first_next = sum += each.first_next;
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
