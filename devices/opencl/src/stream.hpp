// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>

#include "completion.hpp"
#include "launch.hpp"

namespace hocket::opencl {

/// What the streams of a device have in common.
struct stream_parts {
  std::shared_ptr<context> in;
  std::shared_ptr<device_clock> clock;
  std::shared_ptr<host_epoch> epoch;
  cl_device_id id = nullptr;
  std::string device;
  device_style style = device_style::gpu;
  bool host_memory = false;
};

/// An in-order command queue. That of copies to the host is told so: where the device uses the
/// host's memory, nothing else says which end of a copy is the device's.
class queue_stream final : public driver_stream {
 public:
  queue_stream(const stream_parts& parts, handle<cl_command_queue> queue, executor& where,
               stream_id id, bool outbound);
  ~queue_stream() override;

  void poll(const std::function<bool()>& reached) override { completions_.poll(reached); }
  void stop_polling() noexcept override { completions_.stop_polling(); }

 private:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] bool starts_early(const command& what, const driver_stream& other) const override;
  // NVIDIA's driver reads the host's memory when a write is enqueued, and not behind the events
  // that the write waits for.
  [[nodiscard]] bool ends_are_awaited() const noexcept override {
    return outbound_ && !on_host_cores_;
  }
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

  void flush() override;

  [[nodiscard]] enqueued copy(const copy_command& what, std::span<const cl_event> waits);
  [[nodiscard]] enqueued mark(std::span<const cl_event> waits);

  std::shared_ptr<context> context_;
  std::string device_;
  bool host_memory_;
  bool outbound_;
  bool on_host_cores_;
  handle<cl_command_queue> queue_;
  start_gate gate_;
  launcher launcher_;
  completions completions_;
};

}  // namespace hocket::opencl
