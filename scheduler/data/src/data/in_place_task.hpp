// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include <hocket/scheduler/detail/launch_lane.hpp>

#include "data/admission.hpp"
#include "data/in_place_node.hpp"

namespace hocket::detail {

class bound_arguments;
class in_place_runtime;

/// What few tasks in place are made from beside the launch.
struct in_place_content {
  host_options options;
  std::span<const task_state_ptr> after;
  nanoseconds timeout = nanoseconds::max();
  admission_request request = {};
  host_context* scope = nullptr;  ///< that the task belongs to; else to the runtime
  domain_node* within = nullptr;  ///< see place_within
};

/// A task with data that runs on the host, in place. Its accesses, numbers and edges lie behind it,
/// in the same block of memory.
class in_place_task final : public in_place_node {
 public:
  /// In the order of its buffers from now on, but not started.
  [[nodiscard]] static boost::intrusive_ptr<in_place_task> make(in_place_runtime& home,
                                                                const borrowed_launch& what,
                                                                in_place_content&& from);
  /// The same, and it is started, for a caller that has to care for one reference: without anything
  /// else, numbers of futures and what only few tasks have, in a context that only counts.
  [[nodiscard]] static task_state* start_new(in_place_runtime& home, const borrowed_launch& what);
  /// The same without these conditions but the first two.
  [[nodiscard]] static task_state* start_with_more(in_place_runtime& home,
                                                   const borrowed_launch& what);
  ~in_place_task() override;

  [[nodiscard]] std::string_view label_text() const noexcept override;
  [[nodiscard]] std::size_t held_bytes() const noexcept override;

  /// A task with a time-out fails at once, also where it runs.
  void request_cancel() noexcept override;
  void time_out() noexcept override;

  /// Starts the task, and its time.
  void begin(nanoseconds timeout);

  [[nodiscard]] bool has_request() const noexcept;
  [[nodiscard]] const admission_request& request() const noexcept;
  /// True if it is known that it will not run. Only once everything before it is over, and no
  /// buffer locked.
  [[nodiscard]] bool cannot_run() const {
    return is_poisoned() && (!asks_when_poisoned() || has_failed_before() || unusable_input());
  }
  [[nodiscard]] bool is_given_up() const noexcept { return is_claimed(); }
  /// It was let in.
  void come_in(ready_list& next) noexcept { arrive(false, next); }

 private:
  friend class task_memory;

  struct awaited_number;
  struct optional_state;
  /// Out of the way of those that have none.
  struct drop_extras {
    void operator()(optional_state* all) const noexcept;
  };
  struct more;
  class layout;

  template <class... Node>
  in_place_task(const layout& behind, in_place_runtime& home, const borrowed_launch& what,
                Node&&... node);
  template <class... Node>
  [[nodiscard]] static task_state* make_and_start(const layout& behind, in_place_runtime& home,
                                                  const borrowed_launch& what, Node&&... node);
  void keep(const borrowed_launch& what);
  void keep_more(const borrowed_launch& what);
  void keep_extras(in_place_content& from);
  void destroy_all() noexcept override;
  void commit_uses() noexcept;
  void drop_sole_uses() noexcept;
  void drop_uses() noexcept;
  void drop_contents() noexcept;
  void drop_kernel() noexcept;
  void drop_more() noexcept;
  [[nodiscard]] std::span<const in_place_use> accesses() const noexcept override {
    return has_uses_ ? std::span<const in_place_use>(all_uses()) : std::span<const in_place_use>();
  }
  void take_own_place(const in_place_content& from, const layout& behind);

  void execute() override;
  void execute_here();
  void discard() noexcept override;
  void end(failure why, ready_list& next) noexcept override;
  void end_well(ready_list& next) noexcept override;
  [[nodiscard]] bool run_inline(ready_list& next) noexcept override;
  void leave_place(ready_list& next) noexcept override;
  void given_up(bool waited, ready_list& next) noexcept override;
  void one_is_left(ready_list& next) noexcept override;
  [[nodiscard]] failure explain_failure() noexcept override;
  [[nodiscard]] bool may_name_cause() noexcept override;

  void cancel(failure why) noexcept;
  void watch_and_start();
  void tell(failure why) noexcept;
  /// True if a throttle decides when the task starts.
  [[nodiscard]] bool is_throttled() const noexcept;
  void admit(const admission::admitted& all, ready_list& next) noexcept;
  void convert_numbers();
  void execute_with_several();
  void execute_with_more(bound_arguments& buffers);
  void call(const launch_function& body, std::span<const buffer_argument> buffers,
            std::size_t max_elements);

  // What lies behind, in this order, and before the edges.
  [[nodiscard]] in_place_use* uses() const noexcept;
  [[nodiscard]] scalar_argument* numbers() const noexcept;
  [[nodiscard]] more& rest() const noexcept;
  [[nodiscard]] std::span<in_place_use> all_uses() const noexcept { return {uses(), use_count_}; }

  std::uint32_t use_count_;
  std::uint32_t number_count_;
  bool has_more_;
  bool has_uses_ = true;
  bool is_spent_ = false;  ///< nothing but the kernel is left in it that has to be destroyed
  bool outlives_its_end_ = false;  ///< it may end before it leaves its place
  in_place_runtime& home_;
  kernel_ref kernel_;
  std::unique_ptr<optional_state, drop_extras> optional_state_;  ///< of few tasks
};

}  // namespace hocket::detail
