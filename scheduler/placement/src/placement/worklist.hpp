// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <utility>
#include <vector>

#include "placement/action.hpp"
#include "placement/machine.hpp"
#include "placement/number_set.hpp"

namespace hocket::placement {

/// What one step of the engine has decided, its actions, and what it still has to look at. Parts
/// that would call one another in a circle leave a note here.
class worklist {
 public:
  struct ending {
    placed_task* task;
    failure why;
  };

  explicit worklist(const machine& machine) : machine_(machine), dirty_(machine.devices.size()) {}

  /// The actions of the current step go there.
  void begin(action_list& out) noexcept { out_ = &out; }
  [[nodiscard]] action_list& actions() const noexcept { return *out_; }

  /// The device may have room for a task, or a task that it has queued may start now.
  void mark_dirty(device_id device) { dirty_.insert(device.value); }
  void mark_all_dirty() {
    for (std::size_t i = 0; i < machine_.devices.size(); ++i) mark_dirty(device_id{i});
  }
  /// The same of all devices that use the memory.
  void mark_users_dirty(memory_id memory) {
    for (std::size_t i = 0; i < machine_.devices.size(); ++i) {
      if (machine_.devices[i].memory == memory) mark_dirty(device_id{i});
    }
  }
  /// The task ends in this step, unless it has ended before.
  void end_later(placed_task& t, failure why) { ending_.push_back({&t, std::move(why)}); }

  [[nodiscard]] bool is_empty() const noexcept { return dirty_.empty() && ending_.empty(); }
  [[nodiscard]] bool has_dirty() const noexcept { return !dirty_.empty(); }
  [[nodiscard]] bool has_endings() const noexcept { return !ending_.empty(); }
  [[nodiscard]] std::vector<ending> take_endings() { return std::exchange(ending_, {}); }
  /// Calls visit(device) for each device that is marked, which it is no more.
  template <class Visit>
  void take_dirty(const Visit& visit) {
    dirty_.take_each([&](std::size_t device) { visit(device_id{device}); });
  }

 private:
  const machine& machine_;
  number_set dirty_;
  std::vector<ending> ending_;
  action_list* out_ = nullptr;
};

}  // namespace hocket::placement
