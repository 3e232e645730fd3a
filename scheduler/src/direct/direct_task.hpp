// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include <hocket/scheduler/detail/direct_lane.hpp>

#include "direct/admission.hpp"
#include "direct/direct_node.hpp"

namespace hocket::detail {

class direct_runtime;

/// What few direct tasks are made from beside the launch.
struct direct_content {
  host_options options;
  std::span<const completion_ptr> after;
  nanoseconds timeout = nanoseconds::max();
  admission_request wish = {};
  host_context* scope = nullptr;  ///< that the task belongs to; else to the runtime
  hold_node* within = nullptr;    ///< see place_within
};

/// A task with data that runs on the host, in place. Its accesses, numbers and edges lie behind it,
/// in the same block of memory.
class direct_task final : public direct_node {
 public:
  /// In the order of its buffers from now on, but not started.
  [[nodiscard]] static boost::intrusive_ptr<direct_task> make(direct_runtime& home,
                                                              const direct_launch& what,
                                                              direct_content&& from);
  /// The same, and it is started, for a caller who has to care for one reference: without anything
  /// else, numbers of futures and what only few tasks have, in a context that only counts.
  [[nodiscard]] static completion* start_new(direct_runtime& home, const direct_launch& what);
  /// The same without these conditions but the first two.
  [[nodiscard]] static completion* start_with_more(direct_runtime& home, const direct_launch& what);
  ~direct_task() override;

  [[nodiscard]] std::string_view called() const noexcept override;
  [[nodiscard]] std::size_t held_bytes() const noexcept override;

  /// A task with a time-out fails at once, also where it runs.
  void request_cancel() noexcept override;
  void time_out() noexcept override;

  /// Starts the task, and its time.
  void begin(nanoseconds timeout);

  [[nodiscard]] bool has_wish() const noexcept;
  [[nodiscard]] const admission_request& wish() const noexcept;
  [[nodiscard]] bool is_hopeless() const noexcept { return hopeless(); }
  /// It was let in.
  void come_in(follow_ups& next) noexcept { arrive(false, next); }

 private:
  friend class task_memory;

  struct no_room;
  struct awaited_number;
  struct extras;
  /// Out of the way of those that have none.
  struct drop_extras {
    void operator()(extras* all) const noexcept;
  };
  struct more;
  class layout;

  template <class... Node>
  direct_task(const layout& behind, direct_runtime& home, const direct_launch& what,
              Node&&... node);
  template <class... Node>
  [[nodiscard]] static completion* make_and_start(const layout& behind, direct_runtime& home,
                                                  const direct_launch& what, Node&&... node);
  void keep(const direct_launch& what);
  void keep_more(const direct_launch& what);
  void keep_extras(direct_content& from);
  void destroy_all() noexcept override;
  void drop_uses() noexcept;
  void drop_contents() noexcept;
  void drop_kernel() noexcept;
  void drop_more() noexcept;
  void take_own_place(const direct_content& from, const layout& behind);

  void execute() override;
  void execute_here();
  void discard() noexcept override;
  void end(failure why, follow_ups& next) noexcept override;
  void end_well(follow_ups& next) noexcept override;
  [[nodiscard]] bool run_straight(follow_ups& next) noexcept override;
  void leave_place(follow_ups& next) noexcept override;
  void given_up(bool waited, follow_ups& next) noexcept override;
  void one_is_left(follow_ups& next) noexcept override;
  [[nodiscard]] failure explain_failure() noexcept override;

  void cancel(failure why) noexcept;
  void watch_and_start();
  void tell(failure why) noexcept;
  void admit(const admission::admitted& all, follow_ups& next) noexcept;
  void convert_numbers();
  class placed;
  [[nodiscard]] launch_shape shape() const;
  void execute_with_several();
  void execute_with_more(placed& buffers);
  void call(const launch_function& body, std::span<const buffer_argument> buffers,
            std::size_t most_elements);
  void call_specially(const launch_function& body, std::span<const buffer_argument> buffers,
                      std::size_t most_elements);

  // What lies behind, in this order, and before the edges.
  [[nodiscard]] direct_use* uses() const noexcept;
  [[nodiscard]] scalar_argument* numbers() const noexcept;
  [[nodiscard]] more& rest() const noexcept;
  [[nodiscard]] std::span<direct_use> all_uses() const noexcept { return {uses(), use_count_}; }

  std::uint32_t use_count_;
  std::uint32_t number_count_;
  bool has_more_;
  bool has_uses_ = true;
  bool is_spent_ = false;  ///< nothing but the kernel is left in it that has to be destroyed
  bool outlives_its_end_ = false;  ///< it may end before it leaves its place
  direct_runtime& home_;
  kernel_ref kernel_;
  std::unique_ptr<extras, drop_extras> extras_;  ///< of few tasks
};

}  // namespace hocket::detail
