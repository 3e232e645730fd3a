// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/host_task.hpp>

#include "data/data_runtime.hpp"
#include "tasks/caught.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {

void device_task::request_cancel() noexcept {
  if (done()) return;
  const live_runtimes::user owner(home());
  if (!owner) return;
  static_cast<data_runtime&>(*owner).cancel_placed(id, cancelled(label_text()));
}

bool device_task::help(helping& by) noexcept {
  const stream_id on{stream_};
  // A thread that waits for another task helps with host tasks instead of polling a device.
  const bool waited_for = by.depth == helping::max_depth;
  if (!waited_for || !on.valid()) return false;
  const live_runtimes::user owner(home());
  return owner && static_cast<data_runtime&>(*owner).poll(*this, on);
}

failure boxed_device_task::take_from_box() noexcept {
  outcome().set_value(box_->value());
  if (outcome().value() != nullptr) return {};
  return {failure_code::task_failed,
          name() +
              " has no value: its function was not called, because the device executes "
              "nothing."};
}

void device_task::tell_awaited(wait_visitor& to) {
  if (id.valid()) to.follow(id);
}

}  // namespace hocket::detail
