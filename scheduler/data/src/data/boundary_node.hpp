// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <hocket/scheduler/task_label.hpp>

#include "data/in_place_node.hpp"

namespace hocket::detail {

/// The run of a graph that boundary nodes belong to.
class boundary_owner {
 public:
  /// Everything outside of the run that the task of this number comes after is over. Called once
  /// for each task, by the thread that ended the last of it.
  virtual void opened(std::uint32_t task) noexcept = 0;

  /// Tells the search what the task of this number waits for within the run. Any thread.
  virtual void tell_awaited_of(std::uint32_t task, wait_visitor& to) = 0;
  /// Calls visit for the boundary nodes of the run that come after that task, and for the run.
  virtual void each_follower_of(std::uint32_t task,
                                const std::function<void(task_state&)>& visit) = 0;

 protected:
  boundary_owner() = default;
  boundary_owner(const boundary_owner&) = delete;
  boundary_owner& operator=(const boundary_owner&) = delete;
  ~boundary_owner() = default;
};

/// Leads from the boundary nodes of a run to the run, as long as there is one: histories of buffers
/// keep nodes that have left, which must not keep the run. Runs that use the same nodes have one
/// after another; each gets a number, which its nodes keep.
class boundary_link : public boost::intrusive_ref_counter<boundary_link> {
 public:
  /// A run begins. Returns its number.
  std::uint64_t lead_to(boundary_owner& run) noexcept {
    const std::lock_guard lock(guard_);
    owner_ = &run;
    return ++number_;
  }
  /// The run has ended.
  void lead_nowhere() noexcept {
    const std::lock_guard lock(guard_);
    owner_ = nullptr;
  }
  /// Calls function(owner) if the run of that number has not ended, which it does not meanwhile.
  template <class Function>
  void visit(std::uint64_t number, const Function& function) {
    const std::lock_guard lock(guard_);
    if (owner_ != nullptr && number == number_) function(*owner_);
  }

 private:
  std::mutex guard_;
  boundary_owner* owner_ = nullptr;
  std::uint64_t number_ = 0;
};
using boundary_link_ptr = boost::intrusive_ptr<boundary_link>;

/// A task of a run of a graph that comes after tasks outside of the run, or that such tasks may
/// come after: it stands in the histories of buffers for them. The run executes it and orders it
/// with its other tasks.
class boundary_node final : public in_place_node {
 public:
  /// With room for so many edges behind it, one for each use.
  boundary_node(host_context& context, boundary_link_ptr run, std::uint32_t task,
                const task_label& label, std::uint32_t uses);

  /// For a later run of the same graph. Returns false, and does nothing, if another thread may
  /// still know the node.
  [[nodiscard]] bool renew() noexcept;

  /// Takes its place in the histories. Returns whether it has to wait: then attach() is to be
  /// called once no buffer is locked. Else opened() is not called.
  [[nodiscard]] bool enter(boundary_owner& run, std::uint64_t run_number,
                           std::span<const in_place_use> uses, domain_node* within,
                           lock_each locks);
  void attach() noexcept {
    intrusive_ptr_add_ref(this);  // until it is opened
    task_starter::attach_edges(*this);
  }

  /// The run calls the function of the task.
  void begin() noexcept {
    // Only told to those who ask: relaxed.
    has_begun_.store(true, std::memory_order_relaxed);
  }
  /// The task is over: tasks that wait for its place go on. It keeps why it failed.
  void leave(const failure& why, ready_list& next) noexcept;

  [[nodiscard]] std::string_view label_text() const noexcept override { return name_.text(); }
  [[nodiscard]] task_status status() const noexcept override;
  [[nodiscard]] bool is_waiting() const noexcept override {
    return status() == task_status::pending;
  }
  void tell_awaited(wait_visitor& to) override;
  void each_follower(const std::function<void(task_state&)>& visit) const override;

 private:
  void execute() override {}
  void discard() noexcept override {}
  void end(failure why, ready_list& next) noexcept override;
  [[nodiscard]] std::span<const in_place_use> accesses() const noexcept override { return {}; }
  [[nodiscard]] bool is_ordered_with(const in_place_node& earlier) const noexcept override;

  boundary_owner* owner_ = nullptr;  ///< until it has left
  std::uint64_t run_number_ = 0;
  std::atomic<bool> has_begun_{false};
  boundary_link_ptr link_;
  task_label name_;
  std::uint32_t task_;
  std::uint32_t uses_;
};

using boundary_node_ptr = boost::intrusive_ptr<boundary_node>;

/// The boundary nodes of one run. Later runs use those of them again that nothing else keeps.
struct boundary_set {
  boundary_link_ptr link{new boundary_link};
  std::vector<boundary_node_ptr> nodes;
};

}  // namespace hocket::detail
