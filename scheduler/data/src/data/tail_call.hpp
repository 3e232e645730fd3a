// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <span>

#include "data/argument_tail.hpp"
#include "data/bound_arguments.hpp"
#include "data/in_place_call.hpp"

namespace hocket::detail {

/// Calls the body of a kernel with the arguments that lie behind a task.
template <class Task>
class tail_call {
 public:
  tail_call(in_place_runtime& home, const kernel_definition& kernel, const argument_tail& arguments,
            Task& task) noexcept
      : home_(home), kernel_(kernel), arguments_(arguments), task_(task) {}

  /// Throws what the body throws, no_room_for_buffer and refused_number.
  [[gnu::always_inline]] void run() const {
    const std::span<const in_place_use> uses = arguments_.uses();
    if (uses.size() != 1 || arguments_.has_rare()) return run_with_several();
    const in_place_use& only = uses.front();
    call(kernel_.host, {&bound_arguments::argument_of(only, task_), 1}, only.data->elements());
  }

 private:
  [[gnu::noinline]] void run_with_several() const {
    bound_arguments buffers;
    buffers.add(arguments_.uses(), task_);
    if (arguments_.has_rare()) return run_with_rare(buffers);
    call(kernel_.host, buffers.all(), buffers.max_elements());
  }

  [[gnu::noinline]] void run_with_rare(bound_arguments& buffers) const {
    rare_arguments& rare = arguments_.rare();
    if (rare.awaited > 0) arguments_.convert_numbers(kernel_, task_.label_text());
    if (kernel_.result) {
      buffers.add(rare.value, *kernel_.result, index_list(1, 1), index_list(1, 1));
    }
    call(rare.has_function ? *rare.function() : kernel_.host, buffers.all(),
         buffers.max_elements());
  }

  [[gnu::always_inline]] void call(const launch_function& body,
                                   std::span<const buffer_argument> buffers,
                                   std::size_t max_elements) const {
    const in_place_call what{home_, kernel_, body, arguments_.numbers()};
    if (is_called_plainly(kernel_)) [[likely]]
      return call_plainly(what, buffers, max_elements);
    call_specially(what, work_of_call(kernel_, arguments_.uses()), buffers,
                   [this]() -> task_state& { return task_; });
  }

  in_place_runtime& home_;
  const kernel_definition& kernel_;
  argument_tail arguments_;
  Task& task_;
};

}  // namespace hocket::detail
