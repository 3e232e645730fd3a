// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>

#include <hocket/core/trace.hpp>

#include "data/data_runtime.hpp"
#include "placement/event.hpp"
#include "placement/machine.hpp"

namespace hocket::detail {

/// A runtime as those see it that submit to its placement engine.
class placed_runtime : public data_runtime {
 public:
  /// Any thread. After the end of the runtime events are ignored.
  virtual void post(placement::event&& what) = 0;

  /// Connects the devices if no task has done so.
  [[nodiscard]] virtual const placement::machine& description() = 0;

  [[nodiscard]] trace_names& names() noexcept { return names_; }

  // data_runtime
  void add_data(const buffer_state& data, lent_memory_ptr lent) final;
  void drop_data(data_id data) noexcept final;
  [[nodiscard]] std::unique_ptr<open_host_view> open_placed_view(const region_ref& what,
                                                                 access_mode mode,
                                                                 view_span span) final;
  void cancel_placed(task_id task, failure why) final;

 private:
  trace_names names_;
};

}  // namespace hocket::detail
