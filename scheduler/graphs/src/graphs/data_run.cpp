// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/data_run.hpp"

#include <algorithm>
#include <utility>

#include <boost/unordered/unordered_flat_set.hpp>

#include "data/domain_node.hpp"
#include "data/history_locks.hpp"
#include "placement/placed_runtime.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

/// Stands for a task of the run that is no boundary task, where a thread waits in it: others that
/// wait for it find that thread.
class data_run::stand_in final : public task_state {
 public:
  stand_in(data_run& run, std::uint32_t node)
      : task_state(run.context(), run.plan().label(node)),
        link_(run.set_->link),
        number_(run.number_),
        node_(node) {}

  void tell_awaited(wait_visitor& to) override {
    link_->visit(number_, [&](boundary_owner& run) { run.tell_awaited_of(node_, to); });
  }

 private:
  boundary_link_ptr link_;
  std::uint64_t number_;
  std::uint32_t node_;
};

task_state_ptr data_run::start(const run_frame& frame, std::shared_ptr<data_plan> plan,
                               host_options how) {
  const boost::intrusive_ptr<data_run> made(new data_run(frame, std::move(plan), std::move(how)));
  made->begin();
  return made;
}

data_run::data_run(const run_frame& frame, std::shared_ptr<data_plan> plan, host_options&& how)
    : host_run(frame.context(), std::move(plan), std::move(how)),
      frame_(frame),
      data_(*frame.home.in_place()),
      // Nodes know the scope that they are in, and keep it.
      set_(frame.scope == nullptr ? this->plan().set_for_run() : this->plan().fresh_set()),
      values_(this->plan().values()),
      failures_(frame.context(), this->plan()) {}

void data_run::release() noexcept {
  std::unique_ptr<boundary_set> set;
  decltype(stand_ins_) stand_ins;  // go without the lock
  {
    const std::lock_guard lock(rare_);
    set = std::move(set_);
    stand_ins.swap(stand_ins_);
    waiting_ = {};
  }
  failures_.release();
  starts_ = {};
  values_ = {};
  if (frame_.scope == nullptr) plan().give_back(std::move(set));
  frame_.with = nullptr;
  host_run::release();
}

void data_run::begin() {
  try {
    enter();
  } catch (...) {
    give_up_entering();
    throw;
  }
  context()->started(*this);
  if (context()->is_scope()) context()->offer(*this);
  intrusive_ptr_add_ref(this);  // until it ends
  const user here(*this);
  begin_now(starts_, &failures_);
  for (const std::uint32_t each : waiting_) set_->nodes[each]->attach();
}

void data_run::enter() {
  const auto all = plan().boundaries();
  auto* const within = static_cast<domain_node*>(frame_.within.node.get());
  if (within != nullptr) within->task_came();
  take_nodes();
  starts_.reserve(plan().starts().size() + all.size());
  waiting_.reserve(all.size());
  const run_registration alone(plan().histories(), plan().boundary_uses());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const std::uint32_t node = all[i].node;
    if (set_->nodes[i]->enter(*this, number_, all[i].uses, within, alone.locks())) {
      waiting_.push_back(i);
    } else if (plan().before(node) == 1 || state().arrive(plan(), node)) {
      starts_.push_back(node);
    }
  }
  const auto opened = static_cast<std::ptrdiff_t>(starts_.size());
  starts_.insert(starts_.end(), plan().starts().begin(), plan().starts().end());
  std::inplace_merge(starts_.begin(), starts_.begin() + opened, starts_.end());
}

void data_run::take_nodes() {
  const auto all = plan().boundaries();
  number_ = set_->link->lead_to(*this);
  for (std::size_t i = 0; i < all.size(); ++i) {
    boundary_node_ptr& node = set_->nodes[i];
    if (node != nullptr && node->renew()) continue;
    const auto uses = static_cast<std::uint32_t>(all[i].uses.size());
    node = make_task<boundary_node>(uses * sizeof(host_edge), *context(), set_->link, all[i].node,
                                    all[i].label, uses);
  }
}

/// Without memory for all: those that have a place leave it.
void data_run::give_up_entering() noexcept {
  drop_state();
  set_->link->lead_nowhere();
  ready_list next;
  for (const boundary_node_ptr& each : set_->nodes) {
    if (each != nullptr && !each->has_left()) each->leave({}, next);
  }
  if (frame_.within.node) static_cast<domain_node&>(*frame_.within.node).task_left(next);
}

void data_run::opened(std::uint32_t node) noexcept {
  if (plan().before(node) != 1 && !state().arrive(plan(), node)) return;
  // Another thread may find the task at once, and end the run.
  const task_state_ptr self(this);
  state().add_from_outside(node);
  workers().send_if_wanted_now();
}

void data_run::conclude() noexcept {
  const task_state_ptr self(this, false);
  set_->link->lead_nowhere();
  if (frame_.within.node) {
    ready_list next;
    static_cast<domain_node&>(*std::exchange(frame_.within.node, nullptr)).task_left(next);
  }
  if (!is_announced_.exchange(true)) return host_run::conclude();
  be_over();
  frame_.home.submission_gone();
}

void data_run::request_cancel() noexcept {
  host_run::request_cancel();
  end_early();
}

void data_run::end_early() noexcept {
  if (!calls_no_more() || is_announced_) return;
  // Another thread may be concluding the run at this moment, and the runtime may be gone then.
  const live_runtimes::user uses(home());
  if (!uses) return;
  // What is left is to go over its tasks as they become ready: the runtime waits for that.
  frame_.home.submission_made();
  if (is_announced_.exchange(true)) return frame_.home.submission_gone();
  finish(outcome());
}

const void* data_run::set_value(const parameter_ref& which) const {
  const setting* const set = frame_.find(which);
  return set != nullptr ? static_cast<const void*>(set->value.bytes) : nullptr;
}

bool data_run::help(helping& by) noexcept {
  if (!has_begun() || is_over()) return false;
  if (host_run::help(by)) return true;
  // Not as a user of the run: what is helped with may take long, and the run be cancelled
  // meanwhile.
  for (std::size_t i = 0; by.visits != 0; ++i) {
    const boundary_node_ptr node = waiting(i);
    if (node == nullptr) return false;
    if (node->help(by)) return true;
  }
  return false;
}

/// Null if there are not so many, or if the run is over.
boundary_node_ptr data_run::waiting(std::size_t index) {
  const std::lock_guard lock(rare_);
  return set_ != nullptr && index < waiting_.size() ? set_->nodes[waiting_[index]] : nullptr;
}

task_state* data_run::task_at(std::uint32_t node) {
  const std::uint32_t index = plan().boundary_of(node);
  if (index != planned_task::none) return set_->nodes[index].get();
  const std::lock_guard lock(rare_);
  boost::intrusive_ptr<stand_in>& known = stand_ins_[node];
  if (known == nullptr) known = new stand_in(*this, node);
  return known.get();
}

void data_run::tell_awaited(wait_visitor& to) {
  if (!has_begun()) return;
  const std::lock_guard lock(rare_);
  if (set_ == nullptr) return;
  for (const std::uint32_t each : waiting_) to.follow_and_keep(set_->nodes[each]);
  for (const auto& [node, task] : stand_ins_) to.follow_and_keep(task);
}

void data_run::tell_awaited_of(std::uint32_t node, wait_visitor& to) {
  std::vector<std::uint32_t> open{node};
  boost::unordered_flat_set<std::uint32_t> seen{node};
  const std::lock_guard lock(rare_);
  if (set_ == nullptr) return;
  while (!open.empty()) {
    const std::uint32_t next = open.back();
    open.pop_back();
    tell_of(next, to);
    for (const std::uint32_t each : plan().predecessors(next)) {
      const std::uint32_t before = each & ~data_plan::order_only;
      if (seen.insert(before).second) open.push_back(before);
    }
  }
}

void data_run::each_follower_of(std::uint32_t node, const std::function<void(task_state&)>& visit) {
  std::vector<std::uint32_t> open{node};
  boost::unordered_flat_set<std::uint32_t> seen{node};
  const std::lock_guard lock(rare_);
  if (set_ == nullptr) return;
  while (!open.empty()) {
    const std::uint32_t next = open.back();
    open.pop_back();
    for (const host_plan::successor each : plan().next(next)) {
      if (!seen.insert(each.node()).second) continue;
      open.push_back(each.node());
      const std::uint32_t index = plan().boundary_of(each.node());
      if (index != planned_task::none) visit(*set_->nodes[index]);
    }
  }
  visit(*this);
}

void data_run::tell_of(std::uint32_t node, wait_visitor& to) {
  const std::uint32_t index = plan().boundary_of(node);
  if (index != planned_task::none) return to.follow_and_keep(set_->nodes[index]);
  const auto found = stand_ins_.find(node);
  if (found != stand_ins_.end()) to.follow_and_keep(found->second);
}

}  // namespace hocket::detail
