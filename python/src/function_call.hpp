// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <hocket/scheduler/untyped_launch.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "targets.hpp"

namespace hocket::python {

/// The keeper of the function of a call: the call itself, or objects of Python, to which it then
/// has a weak reference. Graphs are kept by what their functions refer to, and the garbage
/// collector of Python finds such a circle only if no link of it is in C++.
enum class function_keeper : std::uint8_t { call, python };

/// The call of a Python function by tasks, each of which waits for it.
class function_call {
 public:
  /// function: called with a list of views and a list of numbers. It returns None or a whole
  /// number, or an object whose `raised` is what it raised.
  function_call(const nb::object& function, function_keeper keeper, std::vector<access_mode> modes,
                const task_target& target);

  /// In a task. Returns the whole number, or zero. Throws python_failure.
  std::int64_t run(std::span<const buffer_argument> buffers,
                   std::span<const scalar_argument> numbers) const;

 private:
  struct outcome {
    std::exception_ptr thrown;
    std::int64_t answer = 0;
  };

  void run_in_thread(std::span<const buffer_argument> buffers,
                     std::span<const scalar_argument> numbers, outcome& made) const;
  [[nodiscard]] outcome call(std::span<const buffer_argument> buffers,
                             std::span<const scalar_argument> numbers) const;

  kept_object function_;
  function_keeper keeper_;
  std::vector<access_mode> modes_;
  threads_ref threads_;
  std::weak_ptr<runtime> runtime_;       // which has the task
  const detail::host_context& context_;  // of the runtime
  bool is_virtual_;
};

/// A call as a kernel without a body, and the arguments that it is launched with.
struct described_call {
  std::shared_ptr<kernel_definition> kernel;
  std::vector<detail::untyped_argument> arguments;
  std::shared_ptr<const function_call> call;
};

/// accesses: (mode, BufferHandle) each; numbers: TaskHandle and ParameterHandle.
[[nodiscard]] described_call describe_call(const task_target& target, const nb::object& function,
                                           function_keeper keeper, const std::string& name,
                                           const nb::list& accesses, const nb::list& numbers);

}  // namespace hocket::python
