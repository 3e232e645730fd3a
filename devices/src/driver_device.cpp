// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/driver_device.hpp>

#include <cassert>

namespace hocket {

stream& driver_device::compute(std::size_t lane) noexcept {
  assert(lane == 0);
  (void)lane;
  return *parts_.compute;
}

void driver_device::remember(const allocation& host) {
  if (parts_.remember) parts_.remember(host);
}

void driver_device::forget(const allocation& host) noexcept {
  if (parts_.forget) parts_.forget(host);
}

void driver_device::leave_driver() noexcept {
  if (!has_driver()) return;
  lose(program_ends(parts_.info.name));
  close();
  parts_.leave();
}

void driver_device::close() {
  // Each before any is destroyed: they may wait for one another.
  parts_.compute->close();
  parts_.inbound->close();
  parts_.outbound->close();
}

}  // namespace hocket
