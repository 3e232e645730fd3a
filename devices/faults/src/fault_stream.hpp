// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include <hocket/devices/device.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/memory/host_resource.hpp>

#include "hub.hpp"

namespace hocket::faults {

/// A stream of a device, with faults. Commands that no rule meets are passed on with their numbers,
/// and the timeline is that of the stream itself, so that devices wait for one another as they do
/// without faults. A command is held back, and with it those behind it, if it is delayed, hangs, or
/// is a copy that is to be corrupted; so is one that has to wait for such a copy.
class fault_stream final : public stream, public std::enable_shared_from_this<fault_stream> {
 public:
  struct parts {
    std::shared_ptr<hub> home;
    device_rules& rules;
    const device_info& of;
    executor& where;
    time_stamp connected{};  ///< when the device was
    std::function<void(const injected_fault&)> lose;
  };

  /// `inner`, and the objects that `given` refers to, outlive the call of close().
  fault_stream(parts given, stream& inner, fault_call copies);
  ~fault_stream() override;

  // stream
  void submit(command&& what) override;
  void begin_batch() override { inner_.begin_batch(); }
  void end_batch() override { inner_.end_batch(); }
  [[nodiscard]] const timeline& time() const noexcept override { return inner_.time(); }
  void poll(const std::function<bool()>& reached) override { inner_.poll(reached); }
  void stop_polling() noexcept override { inner_.stop_polling(); }

  /// Passes on what can start by now. Any thread.
  void step();
  /// The stream itself has ended a command, which is not reported yet.
  void ended(std::uint64_t value, const command_result& how);
  /// The device is lost: what is held back is dropped.
  void drop();
  /// The stream goes: commands that are held back are dropped. Once this has returned step() passes
  /// nothing on.
  void close();

  /// False while the command is to be corrupted and was not. Any thread.
  [[nodiscard]] bool has_corrupted(std::uint64_t value) const noexcept {
    const std::uint64_t next = next_corrupted_;
    return next == 0 || next > value;
  }
  /// True if the command has ended, or never will. Any thread.
  [[nodiscard]] bool has_ended(std::uint64_t value) const noexcept {
    return is_dropped_ || (has_corrupted(value) && inner_.time().completed() >= value);
  }

 private:
  struct held_command {
    command what;
    std::optional<injected_fault> fault;
    std::optional<time_stamp> due;  ///< of a delay that has begun
  };
  using held_commands = std::deque<held_command>;

  [[nodiscard]] std::optional<injected_fault> next_fault(const command& what);
  void change(held_command& next);
  [[nodiscard]] bool hold_back(held_command& next);

  // Under the lock.
  [[nodiscard]] bool may_start(held_command& head);
  [[nodiscard]] bool is_ready(const command& what) const;
  [[nodiscard]] bool is_over(held_command& delayed);
  void begin_corruption(command& what);
  void note_next_corrupted() noexcept;
  [[nodiscard]] held_commands take_all() noexcept;

  const parts given_;
  stream& inner_;
  const fault_call copies_;
  host_resource staging_;

  std::atomic<std::uint64_t> next_corrupted_{0};  ///< the first command of those; 0: none
  std::atomic<bool> is_dropped_{false};

  std::mutex guard_;  // for what follows
  std::condition_variable stepped_;
  held_commands held_;
  bool is_stepping_ = false;
  bool steps_again_ = false;
  bool is_closed_ = false;
  std::uint64_t corrupting_ = 0;           ///< the copy that was passed on to be corrupted; 0: none
  std::optional<copy_command> corrupted_;  ///< what it writes on the host
  allocation staged_;                      ///< what it reads instead of its source
};

}  // namespace hocket::faults
