// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <hocket/core/function_ref.hpp>
#include <hocket/kernels/definition.hpp>
#include <hocket/streams/perform.hpp>

#include "data/in_place_runtime.hpp"

namespace hocket::detail {

/// A body that is to be called in place, with numbers, beside its buffers.
struct in_place_call {
  in_place_runtime& home;
  const kernel_definition& kernel;
  const launch_function& body;
  std::span<const scalar_argument> numbers;
};

/// True if call_plainly() is for the kernel.
[[nodiscard]] inline bool is_called_plainly(const kernel_definition& kernel) noexcept {
  return !kernel.width && !kernel.estimate && kernel.sequence.empty();
}

/// Calls a body on one lane and counts an operation for each element of the largest buffer: as
/// work_of() does, without a list of shapes.
inline void call_plainly(const in_place_call& what, std::span<const buffer_argument> buffers,
                         std::size_t max_elements) {
  const in_place_runtime::counted counted(what.home, max_elements);
  single_lane lane;
  what.body(host_launch{buffers, what.numbers, lane});
}

/// The work of a launch, as its kernel estimates it from the extents.
struct call_work {
  double flops = 0;
  body_width width = body_width::serial;
};
/// Throws what the functions of the kernel throw.
[[nodiscard]] call_work work_of_call(const kernel_definition& kernel,
                                     std::span<const in_place_use> uses);

/// Calls any body, a wide one on all workers of the node. task(): the one that it is part of, asked
/// for only where other workers have to know.
void call_specially(const in_place_call& what, const call_work& work,
                    std::span<const buffer_argument> buffers, function_ref<task_state&()> task);

/// The failure of a task whose body has just thrown, or that lacks memory for a buffer. name begins
/// the sentence.
[[nodiscard]] failure failure_of_call(const std::string& body, const std::string& name);

}  // namespace hocket::detail
