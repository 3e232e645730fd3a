// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device.hpp"

#include <cassert>

namespace hocket {

failure sim_device::faults::next_launch() {
  const std::lock_guard lock(mutex);
  const auto planned = fails.find(++launches);
  if (planned == fails.end()) return {};
  failure why = planned->second;
  fails.erase(planned);
  return why;
}

sim_device::sim_device(host_device_parts parts, std::shared_ptr<faults> injected,
                       const device_numbers& numbers, executor& where, completion_sink& sink)
    : host_device(std::move(parts), numbers, where, sink), faults_(std::move(injected)) {}

void sim_device::refuse_memory(bool on) { faults_->refuses_memory = on; }

void sim_device::fail_launch(std::uint64_t nth, const failure& why) {
  assert(nth > 0);
  const std::lock_guard lock(faults_->mutex);
  faults_->fails[faults_->launches + nth] = why;
}

}  // namespace hocket
