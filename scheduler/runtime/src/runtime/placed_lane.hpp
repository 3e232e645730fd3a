// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <stop_token>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/launch_lane.hpp>

#include "placement/placed_runtime.hpp"
#include "placement/submission.hpp"
#include "runtime/event_pump.hpp"

namespace hocket::detail {

/// Checks what the user has described, and makes a timeout of its deadline.
void check_and_time(task_description& task, placed_runtime& home);

/// Makes launches of a runtime with a placement engine, and gives them to the engine. Any thread.
class placed_lane final : public launch_lane {
 public:
  placed_lane(placed_runtime& home, event_pump& events) noexcept : home_(home), events_(events) {}

  using launch_lane::launch;
  /// Throws usage_error as submitter::submit does.
  [[nodiscard]] task_state_ptr launch(task_description&& task);

 private:
  [[nodiscard]] task_state* submit(const borrowed_launch& what) override;
  [[nodiscard]] task_state* submit(const kernel_ref& kernel,
                                   make_device_state make_state) override {
    return submit(without_arguments(kernel, make_state));
  }
  [[nodiscard]] bool is_plain(const borrowed_launch& what, std::uint64_t& bytes) const;
  /// How the state of a launch is made.
  struct state_parts {
    make_device_state make = nullptr;
    value_box_ptr box = {};
    std::uint32_t function_bytes = 0;
  };
  [[nodiscard]] task_state_ptr send(boost::intrusive_ptr<launch_submission> s, state_parts&& parts,
                                    host_context& owner, const std::stop_token& stop);
  /// The engine gets the launch, and the task has to end from here on: a program that runs out of
  /// memory here ends. value: where the kernel puts its result; null if it has none.
  void hand_over(boost::intrusive_ptr<launch_submission> s, const buffer_ref& value,
                 host_context& owner, const std::stop_token& stop) noexcept;
  [[nodiscard]] placement::task_ref fetch_of(const launch_submission& launch,
                                             const buffer_ref& value) const;

  placed_runtime& home_;
  event_pump& events_;
};

}  // namespace hocket::detail
