// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/host_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "graphs/run_state.hpp"

namespace hocket::detail {

host_plan::host_plan(recorded_functions_ptr owner) : owner_(std::move(owner)) {}

host_plan::~host_plan() = default;

std::uint32_t host_plan::add(plan_function& function, std::span<const std::uint32_t> before,
                             const task_label& label) {
  make_room(1, before.size());  // nothing can fail any more once the label is there
  if (!label.empty()) {
    labels_.resize(size_ + 1);
    labels_.back() = label;
  }
  return add(function, before);
}

void host_plan::choose(plan_choice made) {
  choice_of_.resize(size_, plan_choice::none);
  choice_of_.back() = static_cast<std::uint32_t>(choices_.size());
  choices_.push_back(std::move(made));
}

void host_plan::close_body(std::uint32_t node, body_mark begin,
                           std::span<const std::uint32_t> ends) {
  const auto edges = std::span(after_).first(edges_).subspan(begin.edges);
  plan_body body;
  body.tasks = size_ - begin.tasks;
  body.starts = static_cast<std::uint32_t>(std::ranges::count(edges, node));
  body.ends = static_cast<std::uint32_t>(ends.size());
  plan_choice& owner = choices_[choice_of_[node]];
  owner.tasks += body.tasks;
  owner.bodies.push_back(body);
  for (const std::uint32_t end : ends) back_.push_back({end, node, ends.size() == 1});
}

std::vector<std::uint32_t> host_plan::after() const {
  if (next_ == nullptr) return {after_.data(), after_.data() + edges_};
  // Backwards from what comes next: in ascending order, as the functions before are met.
  std::vector<std::size_t> at(size_ + 1, 0);
  for (std::uint32_t node = 0; node < size_; ++node) at[node + 1] = at[node] + before(node);
  std::vector<std::uint32_t> lists(at.back());
  for (std::uint32_t node = 0; node < size_; ++node) {
    for (const successor each : next(node)) lists[at[each.node()]++] = node;
  }
  return lists;
}

void host_plan::wait_outside(std::uint32_t node) {
  waits_outside_.resize(size_);
  waits_outside_[node] = true;
}

void host_plan::seal() {
  if (!choices_.empty()) choice_of_.resize(size_, plan_choice::none);
  places_.resize(size_ + std::size_t{1});
  if (places_.capacity() / 2 > places_.size()) places_.shrink_to_fit();
  next_ = std::make_unique_for_overwrite<successor[]>(edges_ + back_.size());
  place* const places = places_.data() + 1;
  for (std::size_t i = 0; i < edges_; ++i) ++places[after_[i]].next_end;
  for (const way_back& each : back_) ++places[each.from].next_end;
  // What a function comes after was added before it: where their lists begin is known by then.
  const std::uint32_t* before = after_.data();
  std::uint32_t sum = 0;
  for (std::uint32_t node = 0; node < size_; ++node) {
    place& each = places[node];
    sum += std::exchange(each.next_end, sum);
    const std::uint32_t arrivals = each.before + (waits_outside() && waits_outside_[node] ? 1 : 0);
    if (arrivals == 0) starts_.push_back(node);
    const successor word(node, arrivals > 1);
    for (const std::uint32_t* const end = before + each.before; before != end; ++before) {
      next_[places[*before].next_end++] = word;
    }
    each.before = arrivals;
  }
  // Ways back are the last of what comes next, the bodies of a choice the first.
  for (const way_back& each : back_) {
    next_[places[each.from].next_end++] = successor(each.to, !each.alone);
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
  std::unique_ptr<run_state> last;
  {
    const tbb::spin_mutex::scoped_lock lock(guard_);
    if (!spare_.empty()) {
      last = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (last == nullptr) return std::make_unique<run_state>(*this);
  last->make_ready();
  return last;
}

void host_plan::give_back(std::unique_ptr<run_state> state) noexcept {
  const tbb::spin_mutex::scoped_lock lock(guard_);
  if (spare_.size() < max_spare_states) spare_.push_back(std::move(state));
}

}  // namespace hocket::detail
