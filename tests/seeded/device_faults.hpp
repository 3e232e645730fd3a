// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hocket/devices/sim.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/hocket.hpp>

#include "runtime/device_set.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket::seeded {

/// Loses the simulated devices of a runtime and lets launches on them fail.
class device_faults {
 public:
  device_faults(runtime& rt, std::uint64_t seed)
      : rt_(rt), devices_(rt.devices().size()), losses_(seed, 5), failures_(seed, 6) {}

  /// Steps the executor with a virtual clock so often.
  void pass_time(std::size_t events) {
    auto* seeded = dynamic_cast<seeded_executor*>(&rt_.core()->where());
    if (seeded == nullptr || seeded->inside()) return;
    for (std::size_t i = 0; i < events; ++i) (void)seeded->step();
  }

  void lose_device(std::size_t number) {
    if (number == 0 || number >= devices_) return;
    simulated(number).lose(failure(failure_code::device_lost, "planned loss"));
    has_lost_ = true;
  }
  [[nodiscard]] bool have_lost() const noexcept { return has_lost_; }

  /// At some calls, and at any moment of what is under way.
  void make_some() {
    if (devices_ < 2) return;
    if (losses_.chance(0.05)) {
      pass_time(losses_.next() % 30);
      lose_device(any(losses_));
    }
    if (failures_.chance(0.1)) fail_some_launch();
  }

 private:
  [[nodiscard]] std::size_t any(seeded_stream& from) const {
    return 1 + from.next() % (devices_ - 1);
  }
  [[nodiscard]] sim_device& simulated(std::size_t number) {
    device& found = rt_.core()->connection().machine().at(device_id{number});
    return dynamic_cast<sim_device&>(found);
  }
  void fail_some_launch() {
    constexpr std::array codes{failure_code::task_failed, failure_code::out_of_memory,
                               failure_code::compile_failed};
    sim_device& on = simulated(any(failures_));
    const failure why{codes[failures_.next() % codes.size()], "planned failure"};
    on.fail_launch(1 + failures_.next() % 10, why);
  }

  runtime& rt_;
  const std::size_t devices_;
  seeded_stream losses_;
  seeded_stream failures_;
  bool has_lost_ = false;
};

}  // namespace hocket::seeded
