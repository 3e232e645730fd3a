// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <hocket/streams/driver_stream.hpp>

#include "context.hpp"

namespace hocket::vulkan {

/// What the streams of a device have in common: a timeline semaphore with the numbers of their
/// commands, so that each can wait for the others, on the device or on the host.
class timeline_stream : public driver_stream {
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
  timeline_stream(const parts& given, stream_id id)
      : driver_stream(given.domain, given.where, given.epoch, id), of_(given.of) {}

  [[nodiscard]] failure make_timeline();
  [[nodiscard]] context& of() const noexcept { return of_; }
  [[nodiscard]] VkSemaphore timeline() const noexcept { return timeline_.get(); }

  /// A point that a command of another stream ends at.
  struct wait_point {
    VkSemaphore timeline = VK_NULL_HANDLE;
    std::uint64_t value = 0;
  };
  [[nodiscard]] static std::vector<wait_point> points_of(std::span<const device_wait> waits);
  [[nodiscard]] VkResult await(const std::vector<wait_point>& points) const;

  /// Reports the command, which failed if the code is one of the driver's for that; any failure
  /// to wait is a loss of the device.
  void conclude(std::uint64_t value, command_result how, VkResult code);

 private:
  context& of_;
  owned_semaphore timeline_;
};

}  // namespace hocket::vulkan
