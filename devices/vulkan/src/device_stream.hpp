// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>

#include <hocket/devices/host_ordered_stream.hpp>

#include "context.hpp"

namespace hocket::vulkan {

/// What the streams of a device have in common.
class device_stream : public host_ordered_stream {
 public:
  struct parts {
    context& of;
    driver_domain& domain;
    executor& where;
    std::shared_ptr<host_epoch> epoch;
  };

 protected:
  device_stream(const parts& given, stream_id id)
      : host_ordered_stream(given.domain, given.where, given.epoch, id), of_(given.of) {}

  [[nodiscard]] context& of() const noexcept { return of_; }

  using host_ordered_stream::conclude;
  /// The command has ended, or the driver says with code that it cannot, which is the loss of the
  /// device.
  void conclude(std::uint64_t value, command_result how, VkResult code);

 private:
  context& of_;
};

}  // namespace hocket::vulkan
