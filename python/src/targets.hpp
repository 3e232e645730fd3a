// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "runtimes.hpp"

namespace hocket::python {

/// The place that tasks are submitted to: a runtime, a scope in one, or a recording.
struct task_target {
  open_runtime_ref home;
  runtime_ref in;                 ///< of home, open
  std::shared_ptr<submitter> to;  ///< keeps what it is of
  bool records = false;

  /// Calls submit(submitter&) without the GIL, which other tasks may need while it waits for a
  /// place among the pending ones. Into a recording with the GIL: one thread at a time records.
  template <class F>
  decltype(auto) submit(F&& submit) const {
    if (records) return std::forward<F>(submit)(*to);
    const python_threads::blocked waits(*home->threads());
    const without_gil released;
    return std::forward<F>(submit)(*to);
  }
};

/// The target behind an object of the module. Throws usage_error if it is closed, and TypeError for
/// other objects.
[[nodiscard]] task_target target_of(const nb::handle& given);

}  // namespace hocket::python
