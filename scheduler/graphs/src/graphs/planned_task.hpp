// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/plan_function.hpp>

#include "data/in_place_call.hpp"
#include "data/in_place_node.hpp"

namespace hocket::detail {

class data_run;

/// A number of a planned task that is not the same in every run: what a parameter is in the run, or
/// the value of a kernel that the task comes after.
struct planned_number {
  std::uint32_t index;     ///< among the numbers of the task
  std::uint32_t value_of;  ///< among the values of the run; planned_task::none: a parameter
  parameter_ref set_by;
  scalar_argument (*convert)(const void* value, element_type to);
  element_type type;
};

/// A task with data of a data_plan. A run calls it once everything that it comes after is over;
/// what it needs of the run it finds there, so that several runs may call it at the same time.
class planned_task final : public plan_function {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// What it points to belongs to the plan.
  struct description {
    std::uint32_t node = 0;
    task_label label;
    kernel_ref kernel;
    std::span<const in_place_use> uses;
    std::span<const scalar_argument> numbers;
    std::span<const planned_number> varying = {};
    std::uint32_t value = none;          ///< where that of its kernel goes, among those of the run
    std::uint32_t boundary = none;       ///< its index, if it is a boundary task
    std::optional<call_work> work = {};  ///< none if its kernel has thrown when it was asked
  };

  explicit planned_task(description&& what) : what_(std::move(what)) {}

  /// Calls its kernel, and says in the content of its buffers what became of them. Throws
  /// failed_call.
  void call(const plan_call& in) override;
  void not_called(const plan_call& in, const failure& why) noexcept override;

  [[nodiscard]] std::string_view label_text() const noexcept {
    return what_.label.empty() ? std::string_view(what_.kernel->name) : what_.label.text();
  }

 private:
  friend class data_plan_compiler;

  void check_input() const;
  [[gnu::noinline]] void check_content(const in_place_use& use) const;
  void execute(data_run& run) const;
  void execute_with_more(data_run& run) const;
  [[nodiscard]] failure explain_failure() const noexcept;
  void end(data_run& run, const failure& why) const noexcept;
  [[gnu::noinline]] void poison_outputs(const failure& why) const noexcept;

  description what_;
};

}  // namespace hocket::detail
