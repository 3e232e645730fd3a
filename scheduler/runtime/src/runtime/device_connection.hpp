// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <hocket/scheduler/runtime.hpp>

#include "data/in_place_runtime.hpp"
#include "runtime/cost_keeper.hpp"
#include "runtime/device_set.hpp"
#include "runtime/event_pump.hpp"

namespace hocket::detail {

/// The devices of a runtime, which are connected when they are first asked for, and what comes of
/// that: tasks with data run in place, or are placed by an engine. Any thread.
class device_connection {
 public:
  /// when_opened is called once if some of the devices have drivers that end with the program.
  device_connection(const runtime_options& options, data_runtime& home, event_pump& events,
                    std::function<void()> when_opened);
  device_connection(const device_connection&) = delete;
  device_connection& operator=(const device_connection&) = delete;
  ~device_connection() = default;

  /// Connects if no thread has done so; throws what device_set does.
  [[nodiscard]] device_set& machine() {
    // Pairs with the release in connect().
    if (!is_connected_.load(std::memory_order_acquire)) connect();
    return *machine_;
  }
  /// Pairs with the release in connect().
  [[nodiscard]] bool is_connected() const noexcept {
    return is_connected_.load(std::memory_order_acquire);
  }
  /// Likewise. Null if tasks are placed.
  [[nodiscard]] in_place_runtime* in_place() {
    // Pairs with the release in connect().
    if (!is_connected_.load(std::memory_order_acquire)) connect();
    return in_place_.get();
  }

  [[nodiscard]] device_handle device(std::string_view name);
  /// See host_context::arena_of.
  [[nodiscard]] std::size_t arena_of(device_id device, const std::string& name);

  /// Held while a device is let go of or connected again.
  [[nodiscard]] std::mutex& replacing() noexcept { return replacing_; }

  /// Keeps for later processes what was measured, if anything is kept.
  void keep_costs() noexcept;
  /// Null if nothing goes wrong on purpose.
  [[nodiscard]] fault_injector* faults() const noexcept { return faults_.get(); }
  /// Null if copies are not compared.
  [[nodiscard]] const copy_checker* checks() const noexcept { return checks_.get(); }
  /// What a plan of faults makes hang goes on, if there is a plan.
  void release_hangs() noexcept {
    if (faults_ != nullptr) faults_->release_hangs();
  }
  /// Prints which rules of a plan of faults never came true, if there is a plan.
  void tell_unmet_faults() const noexcept;

  /// Lets go of the devices. No task is left, and no event is stepped any more.
  void end() noexcept;
  /// Nothing of it is ever destroyed: what is stuck still refers to it.
  void leave_behind() noexcept;

 private:
  void connect();
  [[nodiscard]] bool runs_in_place() const;
  /// How many tasks the engine logs; 0: none, because no device can be lost, or is survived.
  [[nodiscard]] placement::recovery_limits recovery() const;

  const runtime_options& options_;
  std::string names_;                 ///< of the devices to use
  std::string_view source_of_names_;  ///< for messages
  data_runtime& home_;
  event_pump& events_;
  const std::function<void()> when_opened_;
  std::unique_ptr<placement::device_chooser> chooser_;  ///< until it is the engine's
  std::mutex connecting_;
  std::mutex replacing_;
  std::atomic<bool> is_connected_{false};
  std::unique_ptr<fault_injector> faults_;
  std::unique_ptr<copy_checker> checks_;
  std::unique_ptr<device_set> machine_;
  std::unique_ptr<cost_keeper> costs_;          ///< null: nothing is kept
  std::unique_ptr<in_place_runtime> in_place_;  ///< null: the engine of the event pump places
};

}  // namespace hocket::detail
