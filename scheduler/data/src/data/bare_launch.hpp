// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/kernels/definition.hpp>
#include <hocket/scheduler/detail/task_starter.hpp>

namespace hocket::detail {

class in_place_runtime;

/// A launch of a kernel without arguments, result and options, in a runtime that only counts its
/// tasks: it stands in the order of no buffer, and costs little more than a plain function.
class bare_launch final : public host_task {
 public:
  /// Submits it, for a caller that has to care for one reference. The kernel has a serial host
  /// body, and no estimate.
  [[nodiscard]] static task_state* start_new(in_place_runtime& home, const kernel_ref& kernel);

  [[nodiscard]] std::string_view label_text() const noexcept override { return kernel_->name; }

 private:
  friend class task_runner;
  friend class task_memory;

  bare_launch(in_place_runtime& home, const kernel_ref& kernel);

  void execute() override;
  void call();
  void discard() noexcept override {}
  [[nodiscard]] failure explain_failure() noexcept override;
  [[nodiscard]] bool run_inline(ready_list& next) noexcept override;
  [[nodiscard]] bool execute_or_fail() noexcept;
  void release_body(bool is_unknown) noexcept;

  in_place_runtime& home_;
  kernel_ref kernel_;
};

}  // namespace hocket::detail
