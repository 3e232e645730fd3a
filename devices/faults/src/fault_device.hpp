// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <hocket/devices/backend.hpp>

#include "fault_stream.hpp"

namespace hocket::faults {

/// Passes on what the streams of a device report, once they have had their part in it.
class fault_sink final : public completion_sink {
 public:
  fault_sink(std::shared_ptr<hub> home, completion_sink& to) : home_(std::move(home)), to_(to) {}

  void add(std::shared_ptr<fault_stream> made);

  void completed(stream_id stream, std::uint64_t value, const command_result& how) override;
  void completed_in_a_row(stream_id stream, std::uint64_t first,
                          std::span<const command_result> how) override;
  void left(stream_id stream, std::uint64_t value, time_stamp when) override;
  void ended_apart(stream_id stream, std::uint64_t value, const command_result& how) override;
  void device_lost(device_id device, const failure& why) override;

 private:
  const std::shared_ptr<hub> home_;
  completion_sink& to_;
  std::mutex guard_;  // for what follows
  std::vector<std::shared_ptr<fault_stream>> streams_;
};

/// Loses a device once, for the first rule that is to.
class loser {
 public:
  loser(std::shared_ptr<hub> home, device& of) : home_(std::move(home)), of_(&of) {}

  /// Any thread, also the sink.
  void lose(const injected_fault& fault);
  /// The device goes.
  void close();

 private:
  const std::shared_ptr<hub> home_;
  std::atomic<bool> is_lost_{false};
  std::mutex guard_;  // for what follows; nothing that lose() calls takes it again
  device* of_;
};

/// The memory of a device, with allocations that fail.
class fault_memory final : public memory_resource {
 public:
  fault_memory(fault_stream::parts given, memory_resource& inner)
      : given_(std::move(given)), inner_(inner) {}
  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override { inner_.deallocate(a); }

 private:
  const fault_stream::parts given_;
  memory_resource& inner_;
};

/// A device with faults.
class fault_device final : public device {
 public:
  fault_device(std::shared_ptr<hub> home, device_info info, executor& where, completion_sink& sink);
  ~fault_device() override;

  /// For the device that is connected next.
  [[nodiscard]] completion_sink& sink() noexcept { return sink_; }
  void open(std::unique_ptr<device> inner);

  [[nodiscard]] const device_info& info() const noexcept override { return info_; }
  [[nodiscard]] memory_resource& memory() noexcept override { return *memory_; }
  [[nodiscard]] stream& compute(std::size_t lane) noexcept override { return *compute_[lane]; }
  [[nodiscard]] stream& inbound() noexcept override { return *inbound_; }
  [[nodiscard]] stream& outbound() noexcept override { return *outbound_; }
  void lose(const failure& why) override { inner_->lose(why); }
  void remember(const allocation& host) override { inner_->remember(host); }
  void forget(const allocation& host) noexcept override { inner_->forget(host); }
  [[nodiscard]] bool has_driver() const noexcept override { return inner_->has_driver(); }
  void leave_driver() noexcept override { inner_->leave_driver(); }

 private:
  [[nodiscard]] std::shared_ptr<fault_stream> made(const fault_stream::parts& given, stream& inner,
                                                   fault_call copies);
  void lose_in_time(const fault_stream::parts& given);

  const std::shared_ptr<hub> home_;
  const device_info info_;
  executor& where_;
  fault_sink sink_;
  device_rules rules_;
  std::shared_ptr<loser> loser_;
  std::unique_ptr<device> inner_;
  std::unique_ptr<fault_memory> memory_;
  std::vector<std::shared_ptr<fault_stream>> compute_;
  std::shared_ptr<fault_stream> inbound_;
  std::shared_ptr<fault_stream> outbound_;
};

}  // namespace hocket::faults
