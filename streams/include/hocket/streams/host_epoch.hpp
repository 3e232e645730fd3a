// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include <hocket/streams/stream.hpp>

namespace hocket {

/// The time from the start of a device to its loss, as its streams see it: what they have to report
/// goes through here, so that the sink hears nothing of them once it heard of the loss. Never
/// blocks and holds no lock while it calls the sink, which may therefore end the epoch itself.
class host_epoch {
 public:
  host_epoch(device_id device, completion_sink& sink) noexcept : device_(device), sink_(sink) {}
  host_epoch(const host_epoch&) = delete;
  host_epoch& operator=(const host_epoch&) = delete;

  [[nodiscard]] bool ended() const noexcept { return (state_.load() & ended_bit) != 0; }

  /// Ends the epoch; why is told to the sink as soon as nobody is inside any more, by
  /// this thread or by theirs. Only the first call does anything.
  void end(const failure& why);

  /// Returns false if the epoch has ended; else the caller uses the device's memory until leave().
  [[nodiscard]] bool enter();
  void leave(std::uint64_t times = 1);

  /// Tells the sink, unless the epoch has ended. Returns whether it told.
  bool report(stream_id stream, std::uint64_t value, const command_result& how) {
    return report_in_a_row(stream, value, {&how, 1});
  }
  /// The same of several commands in a row.
  bool report_in_a_row(stream_id stream, std::uint64_t first, std::span<const command_result> how);
  /// The same of a command that leaves its stream, and of its end.
  bool report_left(stream_id stream, std::uint64_t value, time_stamp when);
  bool report_ended_apart(stream_id stream, std::uint64_t value, const command_result& how);

 private:
  static constexpr std::uint64_t ended_bit = std::uint64_t{1} << 63U;

  device_id device_;
  completion_sink& sink_;
  failure why_;  // written by the one thread that claims the end, before it sets ended_bit
  std::atomic<bool> claimed_{false};
  std::atomic<std::uint64_t> state_{0};  // how many are inside, and ended_bit
};

}  // namespace hocket
