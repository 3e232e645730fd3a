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

/// What a direct task is made from.
struct direct_content {
  host_options options;
  kernel_ref kernel;
  launch_function function;  ///< instead of the kernel's body, if there is one
  std::span<const direct_argument> arguments;
  std::span<const completion_ptr> after;
  nanoseconds timeout = nanoseconds::max();
  admission_request wish = {};
  host_context* scope = nullptr;  ///< that the task belongs to; else to the runtime
  hold_node* within = nullptr;    ///< see place_within
};

/// A task with data that runs on the host, in place. Its accesses and numbers lie behind it, in the
/// same block of memory.
class direct_task final : public direct_node {
 public:
  /// In the order of its buffers from now on, but not started.
  [[nodiscard]] static boost::intrusive_ptr<direct_task> make(direct_runtime& home,
                                                              direct_content&& from);
  ~direct_task() override;

  [[nodiscard]] std::string_view called() const noexcept override;

  /// A task with a time-out fails at once, also where it runs.
  void request_cancel() noexcept override;

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
  /// How many of each lie behind the task.
  struct sizes {
    std::uint32_t uses = 0;
    std::uint32_t edges = 0;
    std::uint32_t numbers = 0;
    std::uint32_t awaited = 0;
    std::uint32_t boxes = 0;
    std::uint32_t functions = 0;
    [[nodiscard]] std::size_t bytes() const noexcept;
  };

  direct_task(direct_runtime& home, direct_content&& from, const sizes& behind);
  [[nodiscard]] static sizes sizes_for(const direct_content& from);
  void keep_arguments(const direct_content& from);
  void keep_numbers(const direct_content& from);
  void take_own_place(const direct_content& from);

  void execute() override;
  void discard() noexcept override;
  void end(failure why, follow_ups& next) noexcept override;
  void leave_place(follow_ups& next) noexcept override;
  void given_up(bool waited, follow_ups& next) noexcept override;
  void one_is_left(follow_ups& next) noexcept override;
  [[nodiscard]] failure explain_failure() noexcept override;

  void cancel(failure why) noexcept;
  void watch_and_start();
  void tell(failure why) noexcept;
  void admit(const admission::admitted& all, follow_ups& next) noexcept;
  void convert_numbers();
  [[nodiscard]] buffer_argument place(const direct_use& use, element_type type) const;
  [[nodiscard]] launch_shape shape() const;
  [[nodiscard]] double flops(std::span<const buffer_argument> buffers) const;
  void call(std::span<const buffer_argument> buffers);

  // What lies behind, in this order.
  [[nodiscard]] direct_use* uses() const noexcept;
  [[nodiscard]] host_edge* near_edges() const noexcept;
  [[nodiscard]] scalar_argument* numbers() const noexcept;
  [[nodiscard]] awaited_number* awaited() const noexcept;
  [[nodiscard]] box* boxes() const noexcept;
  [[nodiscard]] launch_function* functions() const noexcept;

  direct_runtime& home_;
  kernel_ref kernel_;
  std::unique_ptr<extras> extras_;  ///< of few tasks
  sizes count_;
  bool outlives_its_end_ = false;  ///< it may end before it leaves its place
  alignas(8) std::byte value_[8] = {};
};

}  // namespace hocket::detail
