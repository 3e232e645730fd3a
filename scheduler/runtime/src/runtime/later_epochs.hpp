// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <vector>

#include <hocket/core/ids.hpp>
#include <hocket/streams/stream.hpp>

namespace hocket::detail {

/// The sink of devices that were connected again. Streams number their commands from one, and the
/// placement engine goes on counting from those that the stream had before.
class later_epochs final : public completion_sink {
 public:
  explicit later_epochs(completion_sink& to) : to_(to) {}

  /// The number of commands that the stream had in earlier epochs.
  [[nodiscard]] std::uint64_t before(stream_id stream) const noexcept {
    return before_[stream.value];
  }
  /// Before any device is connected again.
  void set_streams(std::size_t count) { before_.assign(count, 0); }
  /// Not while a device reports about the stream.
  void begin(stream_id stream, std::uint64_t before) { before_[stream.value] = before; }

  void completed(stream_id stream, std::uint64_t value, const command_result& how) override {
    to_.completed(stream, value + before(stream), how);
  }
  void completed_in_a_row(stream_id stream, std::uint64_t first,
                          std::span<const command_result> how) override {
    to_.completed_in_a_row(stream, first + before(stream), how);
  }
  void left(stream_id stream, std::uint64_t value, time_stamp when) override {
    to_.left(stream, value + before(stream), when);
  }
  void ended_apart(stream_id stream, std::uint64_t value, const command_result& how) override {
    to_.ended_apart(stream, value + before(stream), how);
  }
  void device_lost(device_id device, const failure& why) override { to_.device_lost(device, why); }

 private:
  completion_sink& to_;
  std::vector<std::uint64_t> before_;
};

}  // namespace hocket::detail
