// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/action.hpp"
#include "placement/lineage.hpp"

namespace hocket::placement {

/// Puts versions aside that only the host has, before they are overwritten there.
class version_guard {
 public:
  version_guard(lineage& log, const coherence& content) : log_(log), content_(content) {}

  /// The actions of the current step go there.
  void begin(action_list& out) noexcept { out_ = &out; }

  /// The next action writes the region in the block of the host. position: of what it writes, in
  /// the log; 0: of content that is a copy.
  void writes(const tracked_buffer& buffer, const box& region, std::uint64_t position) {
    if (!log_.is_on()) return;
    log_.versions().write(buffer, region, position, [&](const kept_ref& to) {
      out_->emplace_back(put_aside{content_.block(buffer.id, host_memory), to});
    });
  }
  /// The buffer is about to lose its block of the host.
  void drops(const tracked_buffer& buffer) {
    if (!log_.is_on() || !content_.has_block(buffer.id, host_memory)) return;
    log_.versions().drop_block(buffer, [&](const kept_ref& to) {
      out_->emplace_back(put_aside{content_.block(buffer.id, host_memory), to});
    });
  }

 private:
  lineage& log_;
  const coherence& content_;
  action_list* out_ = nullptr;
};

}  // namespace hocket::placement
