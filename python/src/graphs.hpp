// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <hocket/scheduler/run_parameter.hpp>
#include <memory>
#include <string>

#include "runtimes.hpp"

namespace hocket::python {

/// A hocket.Graph while its block is recorded. Keeps the runtime. Used with the GIL.
class open_recording {
 public:
  open_recording(open_runtime_ref home, const record_options& options, std::string label)
      : home_(std::move(home)),
        in_(home_->get()),
        recorder_(std::make_shared<recorder>(*in_, options)),
        label_(std::move(label)) {}

  [[nodiscard]] const open_runtime_ref& home() const noexcept { return home_; }

  /// Throws usage_error if the recording has ended.
  [[nodiscard]] std::shared_ptr<submitter> get() const;

  /// Ends the recording, without the GIL.
  [[nodiscard]] graph finish();

  /// Ends the recording; what was recorded is gone.
  void drop();

 private:
  [[nodiscard]] std::shared_ptr<recorder> take();

  open_runtime_ref home_;
  runtime_ref in_;  // outlives the recorder
  std::shared_ptr<recorder> recorder_;
  std::string label_;
};

/// A hocket.Graph once it is recorded. Python functions in it are kept by Python alone.
struct recorded_graph {
  open_runtime_ref home;
  graph what;
};

/// The object behind hocket.Parameter.
struct parameter_handle {
  detail::parameter_ref which;
};

}  // namespace hocket::python
