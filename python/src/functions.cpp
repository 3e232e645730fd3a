// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <hocket/scheduler/untyped_launch.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "array_view.hpp"
#include "buffers.hpp"
#include "failures.hpp"
#include "futures.hpp"
#include "runtimes.hpp"

namespace hocket::python {

namespace {

/// One call of a Python function for a task, which the task waits for.
class function_call {
 public:
  /// function: called with a list of views. It returns None, or an object whose `raised` is what it
  /// raised.
  function_call(const nb::callable& function, std::vector<access_mode> modes,
                const open_runtime_ref& home)
      : function_(function, home->threads()),
        modes_(std::move(modes)),
        threads_(home->threads()),
        home_(home) {}

  /// In the task. Throws python_failure.
  void run(std::span<const buffer_argument> buffers, executor& where, bool is_virtual) const {
    std::exception_ptr thrown;
    if (is_virtual) {
      // The task is run by a thread of Python that waits for it.
      const with_gil acquired;
      thrown = call(buffers);
    } else {
      run_in_thread(buffers, where, thrown);
    }
    if (thrown != nullptr) std::rethrow_exception(thrown);
  }

 private:
  void run_in_thread(std::span<const buffer_argument> buffers, executor& where,
                     std::exception_ptr& thrown) const {
    const auto arm = [&](const std::shared_ptr<executor::gate>& gate) {
      // The runtime is kept until the task can end: the function itself may let go of it.
      const bool taken =
          threads_->post([this, &thrown, buffers, gate, home = runtime_of_call()]() mutable {
            thrown = call(buffers);
            gate->open();
            home.reset();
          });
      if (taken) return;
      thrown = std::make_exception_ptr(
          error(failure(failure_code::cancelled, "Python ends, and calls no more functions.")));
      gate->open();
    };
    (void)where.wait(arm);
  }

  [[nodiscard]] runtime_ref runtime_of_call() const {
    const open_runtime_ref home = home_.lock();
    if (home == nullptr || home->is_closed()) return nullptr;
    try {
      return home->get();
    } catch (const usage_error&) {
      return nullptr;  // it was closed a moment ago
    }
  }

  /// With the GIL. Returns what was raised.
  [[nodiscard]] std::exception_ptr call(std::span<const buffer_argument> buffers) const {
    try {
      nb::list views;
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        const bool read_only = modes_[i] == access_mode::read;
        views.append(nb::cast(std::make_unique<array_view>(buffers[i], read_only)));
      }
      const nb::object failed = function_.get()(views);
      return failed.is_none() ? nullptr : std::make_exception_ptr(failure_of(failed, threads_));
    } catch (...) {
      return std::current_exception();
    }
  }

  kept_object function_;
  std::vector<access_mode> modes_;
  threads_ref threads_;
  std::weak_ptr<open_runtime> home_;  // the task is part of the runtime
};

void add_accesses(const nb::list& accesses, std::vector<access_mode>& modes,
                  kernel_definition& kernel, std::vector<detail::untyped_argument>& arguments) {
  for (const nb::handle each : accesses) {
    const auto pair = nb::cast<nb::tuple>(each);
    const access_mode mode = mode_named(nb::cast<std::string>(pair[0]));
    const auto& buffer = nb::cast<const array_buffer&>(pair[1]);
    modes.push_back(mode);
    kernel.parameters.push_back({parameter::kind::buffer, buffer.data().type(), mode, any_rank});
    arguments.emplace_back(detail::untyped_access{buffer.what, mode});
  }
}

task_future submit_function(const open_runtime_ref& home, const nb::callable& function,
                            const std::string& name, const nb::list& accesses,
                            const nb::dict& options) {
  const runtime_ref rt = home->get();
  auto kernel = std::make_shared<kernel_definition>();
  kernel->name = name;
  kernel->keeps_captures = true;
  std::vector<access_mode> modes;
  std::vector<detail::untyped_argument> arguments;
  add_accesses(accesses, modes, *kernel, arguments);
  const auto call = std::make_shared<const function_call>(function, std::move(modes), home);
  task_options how = task_options_of(options, *rt);
  if (how.label.empty()) how.label = task_label(name);
  const python_threads::blocked waits(*home->threads());
  const without_gil released;
  detail::untyped_submitter to(*rt);
  executor& where = to.where();
  const bool is_virtual = home->is_virtual();
  if (arguments.empty()) {
    const future<void> made =
        rt->async(how, [call, &where, is_virtual] { call->run({}, where, is_virtual); });
    return {home, made.state()};
  }
  kernel->host = [call, &where, is_virtual](const host_launch& launch) {
    call->run(launch.buffers, where, is_virtual);
  };
  return {home, to.call(how, kernel, arguments)};
}

}  // namespace

void bind_functions(nb::module_& to) {
  to.def("submit_function", &submit_function, nb::arg("runtime"), nb::arg("function"),
         nb::arg("name"), nb::arg("accesses"), nb::arg("options"),
         "Submits a function, called with a list of ArrayView. An access is (mode, BufferHandle).");
}

}  // namespace hocket::python
