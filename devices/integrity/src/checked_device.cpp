// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "checked_device.hpp"

#include <utility>

namespace hocket::integrity {

void checked_sink::completed(stream_id stream, std::uint64_t value, const command_result& how) {
  if (is_copy(stream)) {
    link_->ended(stream == inbound_ ? way::in : way::out, how);
  } else {
    to_.completed(stream, value, how);
  }
}

void checked_sink::completed_in_a_row(stream_id stream, std::uint64_t first,
                                      std::span<const command_result> how) {
  if (!is_copy(stream)) return to_.completed_in_a_row(stream, first, how);
  for (const command_result& each : how) completed(stream, first++, each);
}

void checked_sink::left(stream_id stream, std::uint64_t value, time_stamp when) {
  to_.left(stream, value, when);
}

void checked_sink::ended_apart(stream_id stream, std::uint64_t value, const command_result& how) {
  to_.ended_apart(stream, value, how);
}

void checked_sink::device_lost(device_id device, const failure& why) {
  if (link_ != nullptr) link_->drop();
  to_.device_lost(device, why);
}

checked_device::~checked_device() {
  if (inner_ == nullptr) return;
  link_->close();
  inner_.reset();
}

void checked_device::open(std::unique_ptr<device> inner) {
  inner_ = std::move(inner);
  link_ = std::make_unique<checked_link>(given_, inner_->inbound(), inner_->outbound());
  sink_.open(*link_);
}

}  // namespace hocket::integrity
