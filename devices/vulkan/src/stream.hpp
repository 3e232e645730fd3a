// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>

#include <hocket/devices/batching_stream.hpp>
#include <hocket/devices/launch_planner.hpp>

#include "clock.hpp"
#include "launch.hpp"

namespace hocket::vulkan {

/// The stream of a device's kernels. A timeline semaphore has the numbers of its commands. The
/// commands recorded for a launch are submitted again when the same launch comes.
class launch_stream final : public batching_stream<std::unique_ptr<slot>> {
 public:
  struct parts {
    context& of;
    driver_domain& domain;
    executor& where;
    std::shared_ptr<host_epoch> epoch;
    stream_id id;
    imported_buffers* imports;  ///< null if the device has memory of its own
  };
  [[nodiscard]] static result<std::unique_ptr<launch_stream>> make(const parts& given);
  ~launch_stream() override;

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;
  [[nodiscard]] failure submit_together(std::span<const entry> together) override;
  [[nodiscard]] failure wait(std::uint64_t value) override;
  [[nodiscard]] std::optional<interval> times(const std::unique_ptr<slot>& of) const override;
  void release(std::unique_ptr<slot> of) override { slots_.give_back(std::move(of)); }

 private:
  explicit launch_stream(const parts& given);
  [[nodiscard]] failure start();
  [[nodiscard]] bool has_imports(const launch_command& what) const;
  [[nodiscard]] bool has_scratch() const;
  [[nodiscard]] result<std::unique_ptr<slot>> record_next(const launch_command& what);

  context& of_;
  imported_buffers* const imports_;
  launch_memory memory_;
  owned_semaphore timeline_;
  std::optional<tick_clock> clock_;

  // Of the command that is next. Under the domain's lock, or by the one worker that prepares it.
  program_maker compiler_;
  launch_planner<const program> planner_;
  std::unique_ptr<slot> again_;  ///< where it is recorded already, if it is
  std::shared_ptr<const buffer> scratch_;

  recording_store<slot> slots_;
};

}  // namespace hocket::vulkan
