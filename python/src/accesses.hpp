// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <hocket/kernels/definition.hpp>
#include <hocket/scheduler/untyped_launch.hpp>

#include "futures.hpp"
#include "runtimes.hpp"

namespace hocket::python {

/// Submits a launch of the kernel to a target, see target_of(). Arguments are numbers,
/// BufferHandle, TaskHandle and ParameterHandle, in the order of its signature; options are those
/// of a task. Throws TypeError and ValueError for arguments of other types, and usage_error for
/// others that do not fit.
[[nodiscard]] task_future submit_kernel(const nb::handle& into, const kernel_ref& kernel,
                                        const nb::list& arguments, const nb::dict& options);

}  // namespace hocket::python
