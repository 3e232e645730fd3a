// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "placement/engine_state.hpp"

namespace hocket::placement {

/// A command that has the kernel of a task compiled for a device, and runs nothing.
struct kernel_preparation final : placed_task {
  kernel_preparation() {
    is_preparation = true;
    phase = task_phase::issued;
  }
};

/// Kernels that devices compile while their tasks run on others, which need not wait for that.
class kernel_preparations {
 public:
  explicit kernel_preparations(engine_state& state) : s_(state) {}

  /// The task was to run on the device. Returns true if that compiles the kernel first, and the
  /// task goes to another one, which can begin at once and is not busy with it for long.
  [[nodiscard]] bool begin(const placed_task& t, device_id device);
  /// The command of one has ended.
  void ended(const command_record& record, const command_result& how);
  /// The command of one is lost with its device.
  void forget(placed_task& preparation);

 private:
  [[nodiscard]] bool has_ready_device(const placed_task& t, device_id device) const;
  void plan(const placed_task& t, device_id device);

  engine_state& s_;
  std::vector<boost::intrusive_ptr<kernel_preparation>> all_;
};

}  // namespace hocket::placement
