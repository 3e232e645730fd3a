// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/host_device.hpp>

#include <cassert>

namespace hocket {

host_device::host_device(host_device_parts parts, const device_numbers& numbers, executor& where,
                         completion_sink& sink)
    : info_(std::move(parts.info)),
      memory_(std::move(parts.memory)),
      epoch_(std::make_shared<host_epoch>(numbers.device, sink)) {
  assert(numbers.compute.size() == info_.lanes);
  const auto made = [&](stream_id id, int priority) {
    return std::make_unique<host_stream>(
        where, epoch_,
        host_stream_options{id, parts.arena, priority, parts.perform, parts.duration});
  };
  for (const stream_id id : numbers.compute) compute_.push_back(made(id, 0));
  // Kernels wait for copies: a copy that waits behind kernels for a worker would stop both.
  inbound_ = made(numbers.inbound, 1);
  outbound_ = made(numbers.outbound, 1);
}

host_device::~host_device() {
  for (const auto& lane : compute_) lane->close();
  inbound_->close();
  outbound_->close();
}

void host_device::lose(const failure& why) {
  assert(info_.can_be_lost);
  epoch_->end(why);
  for (const auto& lane : compute_) lane->wake_waiters();
  inbound_->wake_waiters();
  outbound_->wake_waiters();
}

}  // namespace hocket
