// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/execution/pump.hpp>
#include <hocket/streams/driver_stream.hpp>

namespace hocket::null {

/// One thread for the queues of all devices: it performs commands in the order in which they are
/// handed over, so each comes after those that it waits for.
struct driver {
  driver_domain domain;
  pump thread{"null"};
};

/// A queue of the driver.
class queue_stream final : public driver_stream {
 public:
  queue_stream(driver& of, executor& where, std::shared_ptr<host_epoch> epoch, stream_id id)
      : driver_stream(of.domain, where, epoch, id), driver_(of), epoch_(std::move(epoch)) {}
  ~queue_stream() override { close(); }

 private:
  // A program would be compiled in prepare(); the body in C++ is there.
  [[nodiscard]] bool prepared(const command& /*what*/) override { return true; }
  [[nodiscard]] failure prepare(const command& /*what*/) override { return {}; }
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

  driver& driver_;
  std::shared_ptr<host_epoch> epoch_;
};

}  // namespace hocket::null
