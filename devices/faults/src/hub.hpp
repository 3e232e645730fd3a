// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <hocket/core/timepoint.hpp>
#include <hocket/devices/fault_plan.hpp>

#include "bit_flips.hpp"
#include "device_rules.hpp"

namespace hocket::faults {

class fault_stream;

/// The parts that the devices of one runtime share: the plan, and the streams that hold commands
/// back and so have to learn of the ends of others. Any thread.
class hub {
 public:
  explicit hub(fault_plan plan) : plan_(std::move(plan)), tally_(plan_.rules().size()) {}

  [[nodiscard]] const fault_plan& plan() const noexcept { return plan_; }
  [[nodiscard]] tally& counts() noexcept { return tally_; }
  [[nodiscard]] const flip_kernels& flips() const noexcept { return flips_; }

  void add(stream_id number, std::shared_ptr<fault_stream> made);
  /// Closes all streams: the first device of the runtime goes.
  void close();
  /// Null after close().
  [[nodiscard]] std::shared_ptr<fault_stream> find(stream_id number) const;

  /// A stream begins to hold commands back, or holds none any more.
  void holding_begins() noexcept {
    // A stream looks at timelines after this, and ended() is called after a timeline has advanced.
    // The later of the two changes reads the earlier one: either the stream sees the end, or
    // ended() sees the stream.
    holding_.fetch_add(1, std::memory_order_acq_rel);
  }
  void holding_ends() noexcept { holding_.fetch_sub(1, std::memory_order_relaxed); }

  /// A command has ended, or a device is lost: commands that are held back may be able to start.
  void ended() {
    // See holding_begins().
    if (holding_.fetch_add(0, std::memory_order_acq_rel) != 0) step_all();
  }

  [[nodiscard]] bool releases_hangs() const noexcept { return releases_hangs_; }
  void release_hangs() {
    releases_hangs_ = true;
    step_all();
  }

 private:
  using stream_list = std::vector<std::shared_ptr<fault_stream>>;
  [[nodiscard]] stream_list all() const;
  void step_all();

  const fault_plan plan_;
  tally tally_;
  const flip_kernels flips_;
  std::atomic<std::size_t> holding_{0};
  std::atomic<bool> releases_hangs_{false};
  mutable std::mutex guard_;  // for what follows
  std::map<stream_id, std::shared_ptr<fault_stream>> streams_;
};

}  // namespace hocket::faults
