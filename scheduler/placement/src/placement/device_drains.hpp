// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include "placement/device_roster.hpp"

namespace hocket::placement {

/// Empties devices: their tasks end or go elsewhere, and the content of their memory moves to the
/// host. A device is drained once no command of it is in flight and no block lies in its memory.
class device_drains {
 public:
  device_drains(engine_state& state, device_roster& roster, memory_reclaimer& memory)
      : s_(state), roster_(roster), memory_(memory), waiting_(state.devices.size()) {}

  void begin(drain_asked& e);
  /// The device takes tasks again, whether it was drained, is draining or is quarantined.
  void resume(resume_asked& e);
  /// The device is lost, or about to be: a drain has nothing to wait for.
  void lose(device_id device, const failure& why);

  /// True if some device is draining.
  [[nodiscard]] bool is_active() const noexcept { return draining_ > 0; }
  /// Called in each step while a device is draining. Returns whether that step goes on.
  bool look();

 private:
  [[nodiscard]] failure refusal(device_id device) const;
  bool look_at(device_id device);
  [[nodiscard]] bool is_at_work(device_id device) const;
  bool move_content(memory_id memory);
  void end(device_id device, const failure& why);

  engine_state& s_;
  device_roster& roster_;
  memory_reclaimer& memory_;
  std::vector<std::vector<answer_call>> waiting_;  ///< for the end of the drain, of each device
  std::size_t draining_ = 0;                       ///< devices
};

}  // namespace hocket::placement
