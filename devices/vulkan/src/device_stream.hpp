// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include <hocket/streams/driver_stream.hpp>

#include "context.hpp"

namespace hocket::vulkan {

/// What the streams of a device have in common. They wait for one another on the host: each has a
/// thread that learns of the ends of its commands, or makes copies itself, and tells the others.
class device_stream : public driver_stream {
 public:
  struct parts {
    context& of;
    driver_domain& domain;
    executor& where;
    std::shared_ptr<host_epoch> epoch;
  };

  using driver_stream::close;
  using driver_stream::lose;

 protected:
  device_stream(const parts& given, stream_id id)
      : driver_stream(given.domain, given.where, given.epoch, id), of_(given.of) {}

  [[nodiscard]] context& of() const noexcept { return of_; }

  /// A command of another stream that has to end first.
  struct wait_point {
    const device_stream* on = nullptr;
    std::uint64_t value = 0;
  };
  [[nodiscard]] static std::vector<wait_point> points_of(std::span<const device_wait> waits);
  [[nodiscard]] static bool seen(const std::vector<wait_point>& points);
  static void await(const std::vector<wait_point>& points);

  /// The command has ended, or the driver says with code that it cannot, which is the loss of the
  /// device. Tells who waits, and reports.
  void conclude(std::uint64_t value, command_result how, VkResult code);

  /// Commands that follow one another have ended well, the first of which has this value.
  void conclude(std::uint64_t first, std::span<command_result> how);

  /// Called after a command has ended, before that is reported.
  virtual void after_end() {}

 private:
  context& of_;
  mutable std::mutex guard_;  // for what follows
  mutable std::condition_variable changed_;
  std::uint64_t seen_ = 0;
};

}  // namespace hocket::vulkan
