// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <span>

#include <hocket/devices/backend.hpp>

#include "checked_link.hpp"

namespace hocket::integrity {

/// Passes on what a device reports, but for its copies, which its link reports.
class checked_sink final : public completion_sink {
 public:
  checked_sink(const device_numbers& numbers, completion_sink& to)
      : inbound_(numbers.inbound), outbound_(numbers.outbound), to_(to) {}

  /// Before the first command.
  void open(checked_link& link) noexcept { link_ = &link; }

  void completed(stream_id stream, std::uint64_t value, const command_result& how) override;
  void completed_in_a_row(stream_id stream, std::uint64_t first,
                          std::span<const command_result> how) override;
  void left(stream_id stream, std::uint64_t value, time_stamp when) override;
  void ended_apart(stream_id stream, std::uint64_t value, const command_result& how) override;
  void device_lost(device_id device, const failure& why) override;

 private:
  [[nodiscard]] bool is_copy(stream_id stream) const noexcept {
    return stream == inbound_ || stream == outbound_;
  }

  const stream_id inbound_;
  const stream_id outbound_;
  completion_sink& to_;
  checked_link* link_ = nullptr;
};

/// A device whose copies are compared.
class checked_device final : public device {
 public:
  checked_device(checked_link::parts given, const device_numbers& numbers)
      : given_(std::move(given)), sink_(numbers, given_.to) {}
  ~checked_device() override;

  /// For the device that is connected next.
  [[nodiscard]] completion_sink& sink() noexcept { return sink_; }
  void open(std::unique_ptr<device> inner);

  [[nodiscard]] const device_info& info() const noexcept override { return given_.of; }
  [[nodiscard]] memory_resource& memory() noexcept override { return inner_->memory(); }
  [[nodiscard]] stream& compute(std::size_t lane) noexcept override {
    return inner_->compute(lane);
  }
  [[nodiscard]] stream& inbound() noexcept override { return link_->outer(way::in); }
  [[nodiscard]] stream& outbound() noexcept override { return link_->outer(way::out); }
  void lose(const failure& why) override { inner_->lose(why); }
  void remember(const allocation& host) override { inner_->remember(host); }
  void forget(const allocation& host) noexcept override { inner_->forget(host); }
  [[nodiscard]] bool has_driver() const noexcept override { return inner_->has_driver(); }
  void leave_driver() noexcept override { inner_->leave_driver(); }

 private:
  const checked_link::parts given_;
  checked_sink sink_;
  std::unique_ptr<device> inner_;
  std::unique_ptr<checked_link> link_;
};

}  // namespace hocket::integrity
