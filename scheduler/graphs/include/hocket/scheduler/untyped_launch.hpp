// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <hocket/execution/executor.hpp>
#include <hocket/scheduler/submitter.hpp>

namespace hocket::detail {

/// An argument of a launch whose types are known when the program runs: a number of the kernel's
/// type, the number that a task will return, a number that runs of a graph may set, or a use of a
/// region.
struct untyped_number {
  scalar_argument value;
};
struct untyped_future {
  task_state_ptr from;
  element_type type;  ///< of the number that it will hold
};
struct untyped_parameter {
  parameter_ref which;
};
struct untyped_access {
  region_ref what;
  access_mode mode = access_mode::read;
};
using untyped_argument =
    std::variant<untyped_number, untyped_future, untyped_parameter, untyped_access>;

/// Submits kernels and functions whose types are known when the program runs: for bindings to other
/// languages. Arguments are compared with the signature of the kernel at run time, as a compiler
/// compares those of submitter::submit. Any thread; refers to the submitter.
///
///     untyped_submitter untyped(rt);
///     const kernel_ref& fill = ops::fill.resolve<float, out_buffer<float>>().definition();
///     const task_state_ptr ended = untyped.launch(
///         {}, fill,
///         {untyped_number{scalar_argument::of(2.0f)},
///          untyped_access{x.ref(), access_mode::write}});
///     future<void>(ended).get();
class untyped_submitter {
 public:
  explicit untyped_submitter(submitter& to) noexcept : to_(to) {}

  /// Submits one launch, as submitter::submit does. The value of the state that is returned has the
  /// type of the kernel's result. Throws usage_error, naming the kernel and the argument, where the
  /// number of arguments, a kind, an element type, an access or a rank differs from the signature.
  task_state_ptr launch(const task_options& options, const kernel_ref& kernel,
                        const std::vector<untyped_argument>& arguments);

  /// The same for a kernel that stands for one function of the program: on the host alone.
  task_state_ptr call(const task_options& options, const kernel_ref& function,
                      const std::vector<untyped_argument>& arguments);

  /// A question for choose(): a function of the program, a kernel whose result is an integer of 64
  /// bits, is asked each time. Throws usage_error for another result, and as launch() does.
  [[nodiscard]] static question ask(const run_options& options, const kernel_ref& function,
                                    const std::vector<untyped_argument>& arguments);

  /// Submits a choice among graphs, or a loop: by_number as submitter::run_one_of does, if_true as
  /// run_if, or as run_while where there are rounds, if_false as run_until.
  ///
  /// at_most: how many rounds at most. Throws usage_error as those functions do.
  task_state_ptr choose(const run_options& options, choice_rule rule, question asked,
                        std::span<const graph> bodies, std::uint64_t at_most = 1);

  /// The runtime, of which a task may wait (executor::wait) for what another thread computes, and
  /// that thread may note that it works for the runtime (item_note). Throws usage_error for a
  /// recorder.
  [[nodiscard]] const host_context& home();

 private:
  static task_description describe(const task_options& options, const kernel_ref& kernel,
                                   const std::vector<untyped_argument>& arguments, bool host_only);
  task_state_ptr submit(const task_options& options, const kernel_ref& kernel,
                        const std::vector<untyped_argument>& arguments, bool host_only);

  submitter& to_;
};

}  // namespace hocket::detail
