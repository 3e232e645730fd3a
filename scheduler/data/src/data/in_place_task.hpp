// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "data/argument_tail.hpp"
#include "data/in_place_control.hpp"
#include "data/in_place_node.hpp"

namespace hocket::detail {

class bound_arguments;
class in_place_runtime;

/// A task with data that runs on the host, in place. Its arguments and edges lie behind it, in the
/// same block of memory.
class in_place_task final : public in_place_node {
 public:
  /// Takes no place in the order of its buffers as yet. node: for the base.
  template <class... Node>
  in_place_task(const tail_layout& behind, in_place_runtime& home, const borrowed_launch& what,
                Node&&... node)
      : in_place_node(std::forward<Node>(node)...),
        counts_(behind.counts()),
        home_(home),
        kernel_(what.kernel) {
    tail().make(what);
  }
  ~in_place_task() override;

  [[nodiscard]] std::string_view label_text() const noexcept override;
  [[nodiscard]] std::size_t held_bytes() const noexcept override;

  /// A task with a time-out fails at once, also where it runs.
  void request_cancel() noexcept override;
  void time_out() noexcept override;

  /// Null for most.
  [[nodiscard]] in_place_control* control() const noexcept { return control_.get(); }
  /// True if it is known that it will not run. Only once everything before it is over, and no
  /// buffer locked.
  [[nodiscard]] bool cannot_run();
  /// Ends it for those who wait for it, while its function runs.
  void end_before_body(failure why) noexcept;

 private:
  friend class in_place_starter;

  void destroy_all() noexcept override;
  [[nodiscard]] std::span<const in_place_use> accesses() const noexcept override {
    return has_uses_ ? std::span<const in_place_use>(tail().uses())
                     : std::span<const in_place_use>();
  }
  void execute() override;
  void execute_here();
  void keep_value() noexcept;
  void discard() noexcept override;
  void end(failure why, ready_list& next) noexcept override;
  void end_well(ready_list& next) noexcept override;
  [[nodiscard]] bool run_inline(ready_list& next) noexcept override;
  void leave_place(ready_list& next) noexcept override;
  void given_up(bool waited, ready_list& next) noexcept override;
  void one_is_left(ready_list& next) noexcept override;
  [[nodiscard]] failure explain_failure() noexcept override;
  [[nodiscard]] bool may_name_cause() noexcept override;

  void commit_uses() noexcept;
  void drop_kernel() noexcept;

  [[nodiscard]] argument_tail tail() const noexcept {
    return {const_cast<in_place_task*>(this) + 1, counts_};
  }

  [[no_unique_address]] argument_counts counts_;
  bool has_uses_ = true;
  bool is_spent_ = false;  ///< nothing but the kernel is left in it that has to be destroyed
  bool outlives_its_end_ = false;  ///< it may end before it leaves its place
  in_place_runtime& home_;
  kernel_ref kernel_;
  std::unique_ptr<in_place_control> control_;
};

}  // namespace hocket::detail
