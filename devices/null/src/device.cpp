// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device.hpp"

namespace hocket::null {

connected::connected(std::shared_ptr<driver> of, device_info info, const device_numbers& numbers,
                     executor& where, completion_sink& sink)
    : driver_(std::move(of)),
      info_(std::move(info)),
      memory_(device_title(info_.name)),
      epoch_(std::make_shared<host_epoch>(numbers.device, sink)),
      compute_(*driver_, where, epoch_, numbers.compute.front()),
      inbound_(*driver_, where, epoch_, numbers.inbound),
      outbound_(*driver_, where, epoch_, numbers.outbound) {}

connected::~connected() {
  // Each before any is destroyed: they may wait for one another.
  compute_.close();
  inbound_.close();
  outbound_.close();
}

}  // namespace hocket::null
