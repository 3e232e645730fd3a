// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>

#include "gpu/completion.hpp"
#include "gpu/launch.hpp"
#include "gpu/staging.hpp"

namespace hocket::gpu {

/// Parts that the streams of a device have in common.
struct stream_parts {
  std::shared_ptr<context> in;
  std::shared_ptr<host_epoch> epoch;
  launch_limits limits;
  std::string device;
};

/// A stream of the driver. Those of all its devices wait for one another on the device.
class queue_stream final : public driver_stream {
 public:
  /// start is recorded in the stream, which is made for this.
  queue_stream(const stream_parts& parts, handle<stream_handle> made, event_ref start,
               executor& where, stream_id id);
  ~queue_stream() override;

  void poll(const std::function<bool()>& reached) override { completions_.poll(reached); }
  void stop_polling() noexcept override { completions_.stop_polling(); }

 private:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

  [[nodiscard]] failure prepare(const copy_command& what);
  [[nodiscard]] failure make_staging();
  [[nodiscard]] failure begin(std::span<const device_wait> waits, enqueued& made);
  [[nodiscard]] failure copy(const copy_command& what, enqueued& made, bool is_ready);
  [[nodiscard]] bool needs_staging(const copy_command& what) const;
  [[nodiscard]] bool is_pinned(const allocation& host) const;

  std::shared_ptr<context> in_;
  std::string device_;
  handle<stream_handle> stream_;
  launcher launcher_;
  std::unique_ptr<staging> staging_;  // made for the first copy that needs it
  completions completions_;
};

}  // namespace hocket::gpu
