// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
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

#include "tally.hpp"

namespace hocket::integrity {

/// The two ways of a link, as an index.
enum class way : std::uint8_t { in, out };

/// The copy streams of one device, where each copy is compared with its source before its end is
/// reported. A stream has one copy at a time: until it was compared neither its source nor its
/// target changes. The streams have timelines and numbers of their own, because a copy may need
/// several commands of the device.
class checked_link {
 public:
  struct parts {
    device_info of;
    std::shared_ptr<tally> counts;
    executor& where;
    completion_sink& to;
  };

  /// The streams of the device outlive the call of close().
  checked_link(parts given, stream& in, stream& out);
  checked_link(const checked_link&) = delete;
  checked_link& operator=(const checked_link&) = delete;
  ~checked_link();

  /// The stream that the runtime submits copies to.
  [[nodiscard]] stream& outer(way which) noexcept { return *at(which).outer; }

  /// The device has ended a command that it was given.
  void ended(way which, const command_result& how);
  /// The device is lost: copies that wait are dropped.
  void drop();
  /// Once this has returned, the device is given nothing more.
  void close();

 private:
  class checked_stream;

  /// A copy that was begun.
  struct check {
    command what;
    int attempts = 0;
    std::optional<time_stamp> begin;  ///< of the first attempt
  };
  /// One command for the device.
  struct step {
    way of = way::in;  ///< the stream whose copy it serves
    bool reads_back = false;
    decltype(command::what) what;  ///< not a launch
  };
  struct direction {
    explicit direction(stream& in) : inner(in), time(in.time().stream()) {}
    stream& inner;
    timeline time;  ///< of the copies that were compared
    std::unique_ptr<stream> outer;
    std::deque<command> waiting;
    std::optional<check> now;
    allocation scratch;  ///< for what is read back; kept for later copies

    std::uint64_t given = 0;  ///< commands that the stream of the device was given
    std::deque<step> steps;   ///< that are to follow
    std::optional<step> running;
  };

  [[nodiscard]] direction& at(way which) noexcept { return all_[which == way::in ? 0 : 1]; }
  void submit(way which, command&& what);
  void go_on();
  void compare(std::unique_lock<std::mutex>& lock, way which, command_result how);
  void finish(std::unique_lock<std::mutex>& lock, way which, command_result how);

  // Under the lock.
  void begin(way which);
  [[nodiscard]] failure read_back(way which);
  [[nodiscard]] std::deque<command> take_waiting() noexcept;

  const parts given_;
  const bool host_reaches_;  ///< the memory of the device
  host_resource staging_;
  std::mutex guard_;  // for what follows
  std::condition_variable stepped_;
  std::array<direction, 2> all_;
  bool is_stepping_ = false;
  bool steps_again_ = false;
  bool is_closed_ = false;
};

}  // namespace hocket::integrity
