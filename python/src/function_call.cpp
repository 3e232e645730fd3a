// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "function_call.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <hocket/execution/item_local.hpp>
#include <hocket/execution/item_note.hpp>
#include <hocket/scheduler/detail/host_task.hpp>
#include <optional>
#include <utility>

#include "array_view.hpp"
#include "buffers.hpp"
#include "element_types.hpp"
#include "failures.hpp"
#include "futures.hpp"
#include "graphs.hpp"

namespace hocket::python {

namespace {

/// The tasks that a stack works on, for a thread that does the work while the stack waits for it.
class work_of_stack {
 public:
  /// Of the calling stack.
  work_of_stack() noexcept : notes_(item_note::innermost()) {
    // Only host tasks are bare items. In a chain the task of the item may be gone.
    if (!is_in_chain()) item_ = static_cast<detail::host_task*>(bare_item_at_hand());
  }

  /// While this lives, what the calling thread waits for is waited for by those tasks, so that a
  /// wait which could never end is refused as it is in C++; and what it submits is submitted by a
  /// task of the runtime, for which the limit of pending tasks has no wait.
  class here {
   public:
    here(const work_of_stack& of, const detail::host_context& runtime) noexcept
        : before_(item_local()) {
      set_item_local(of.notes_);
      if (of.item_ != nullptr) task_.emplace(item_note::kind::task, of.item_);
      runtime_.emplace(item_note::kind::context, &runtime);
    }
    here(const here&) = delete;
    here& operator=(const here&) = delete;
    ~here() {
      runtime_.reset();
      task_.reset();
      set_item_local(before_);
    }

   private:
    void* before_;
    std::optional<item_note> task_;
    std::optional<item_note> runtime_;
  };

 private:
  [[nodiscard]] bool is_in_chain() const noexcept {
    const item_note* each = notes_;
    while (each != nullptr && each->of() != item_note::kind::chain) each = each->outer();
    return each != nullptr;
  }

  item_note* notes_;
  detail::task_state* item_ = nullptr;
};

}  // namespace

function_call::function_call(const nb::object& function, function_keeper keeper,
                             std::vector<access_mode> modes, const task_target& target)
    : function_(function, target.home->threads()),
      keeper_(keeper),
      modes_(std::move(modes)),
      threads_(target.home->threads()),
      runtime_(target.in),
      context_(detail::untyped_submitter(*target.in).home()),
      is_virtual_(target.home->is_virtual()) {}

std::int64_t function_call::run(std::span<const buffer_argument> buffers,
                                std::span<const scalar_argument> numbers) const {
  outcome made;
  if (is_virtual_) {
    // The task is run by a thread of Python that waits for it.
    const with_gil acquired;
    made = call(buffers, numbers);
  } else {
    run_in_thread(buffers, numbers, made);
  }
  if (made.thrown != nullptr) std::rethrow_exception(made.thrown);
  return made.answer;
}

void function_call::run_in_thread(std::span<const buffer_argument> buffers,
                                  std::span<const scalar_argument> numbers, outcome& made) const {
  const work_of_stack work;
  const auto arm = [&](const std::shared_ptr<executor::gate>& gate) {
    // The runtime is kept until the task can end: what the function had may be the last to keep it,
    // and its end waits for the task. If there is none to keep, it ends already, in another thread.
    const bool taken = threads_->post([=, this, &made, &work, kept = runtime_.lock()]() mutable {
      {
        const work_of_stack::here in_task(work, context_);
        made = call(buffers, numbers);
      }
      gate->open();
      kept.reset();
    });
    if (taken) return;
    made.thrown = std::make_exception_ptr(
        error(failure(failure_code::cancelled, "Python ends, and calls no more functions.")));
    gate->open();
  };
  (void)context_.where().wait(arm);
}

/// With the GIL.
function_call::outcome function_call::call(std::span<const buffer_argument> buffers,
                                           std::span<const scalar_argument> numbers) const {
  try {
    nb::list views, values;
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const bool read_only = modes_[i] == access_mode::read;
      views.append(nb::cast(std::make_unique<array_view>(buffers[i], read_only)));
    }
    for (const scalar_argument& each : numbers) values.append(to_python(each.bytes, each.type));
    nb::object function = function_.get();
    if (keeper_ == function_keeper::python) function = function();
    const nb::object returned = function(views, values);
    if (returned.is_none()) return {};
    if (nb::isinstance<nb::int_>(returned)) return {nullptr, nb::cast<std::int64_t>(returned)};
    return {std::make_exception_ptr(failure_of(returned, threads_))};
  } catch (...) {
    return {std::current_exception()};
  }
}

described_call describe_call(const task_target& target, const nb::object& function,
                             function_keeper keeper, const std::string& name,
                             const nb::list& accesses, const nb::list& numbers) {
  described_call made;
  made.kernel = std::make_shared<kernel_definition>();
  made.kernel->name = name;
  made.kernel->keeps_captures = true;
  std::vector<access_mode> modes;
  for (const nb::handle each : accesses) {
    const auto pair = nb::cast<nb::tuple>(each);
    const access_mode mode = mode_named(nb::cast<std::string>(pair[0]));
    const auto& buffer = nb::cast<const array_buffer&>(pair[1]);
    modes.push_back(mode);
    made.kernel->parameters.push_back(
        {parameter::kind::buffer, buffer.data().type(), mode, any_rank});
    made.arguments.emplace_back(detail::untyped_access{buffer.what, mode});
  }
  for (const nb::handle each : numbers) {
    element_type type;
    if (nb::isinstance<parameter_handle>(each)) {
      const auto& which = nb::cast<const parameter_handle&>(each).which;
      type = which->initial.type;
      made.arguments.emplace_back(detail::untyped_parameter{which});
    } else {
      const auto& from = nb::cast<const task_future&>(each);
      type = from.number.value();
      made.arguments.emplace_back(detail::untyped_future{from.task, type});
    }
    made.kernel->parameters.push_back({parameter::kind::scalar, type});
  }
  made.call = std::make_shared<const function_call>(function, keeper, std::move(modes), target);
  return made;
}

}  // namespace hocket::python
