// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <hocket/devices/sim.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/hocket.hpp>

#include "disturbance.hpp"
#include "runtime/device_set.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket::seeded {

/// Loses the simulated devices of a runtime, lets launches on them fail, and takes devices out of
/// use for a while.
class device_faults final : public disturbance {
 public:
  /// The events that come at any moment. Steps of the program ask for losses besides.
  struct kinds {
    bool losses = false;  ///< with failures of launches
    bool drains = false;
    bool reopens = false;     ///< only where one thread makes the steps
    bool rests_long = false;  ///< drained devices are not resumed before waits, also for room
  };

  device_faults(runtime& rt, std::uint64_t seed, const kinds& which)
      : rt_(rt),
        which_(which),
        devices_(rt.devices().size()),
        losses_(seed, 5),
        failures_(seed, 6),
        drains_(seed, 7),
        reopens_(seed, 8) {}

  /// Steps the executor with a virtual clock so often.
  void pass_time(std::size_t events) override {
    auto* seeded = dynamic_cast<seeded_executor*>(&rt_.core()->where());
    if (seeded == nullptr || seeded->inside()) return;
    for (std::size_t i = 0; i < events; ++i) (void)seeded->step();
  }

  void lose_device(std::size_t number) override {
    if (number == 0 || number >= devices_ || removed_.contains(number)) return;
    simulated(number).lose(failure(failure_code::device_lost, "planned loss"));
    has_lost_ = true;
  }
  [[nodiscard]] bool may_show() const override { return has_lost_; }

  void before_step() override {
    if (devices_ < 2) return;
    if (which_.losses) lose_some();
    if (which_.drains) drain_some();
    if (which_.reopens) reopen_some();
  }
  [[nodiscard]] bool rests_long() const override { return which_.rests_long; }
  /// Tasks that name a device may have to wait until then.
  void before_wait() override {
    if (!which_.drains || which_.rests_long) return;
    for (std::size_t i = 1; i < devices_; ++i) resume({device_id{i}});
  }
  /// Waits for the drains so far.
  [[nodiscard]] std::string check() override {
    for (const future<void>& each : std::exchange(drained_, {})) {
      const failure why = each.error();
      const bool is_planned =
          why.code() == failure_code::cancelled ||  // by another program as well
          why.code() == failure_code::device_lost;
      if (why && !is_planned) return "a drain failed: " + why.message();
    }
    for (const device_report& each : rt_.report().devices) {
      if (each.state == device_state::drained && each.used_bytes > 0 && each.queued == 0) {
        return each.name + " was drained, and is not empty";
      }
    }
    return {};
  }

 private:
  /// At some calls, and at any moment of what is under way.
  void lose_some() {
    if (losses_.chance(0.05)) {
      pass_time(losses_.next() % 30);
      lose_device(any(losses_));
    }
    if (failures_.chance(0.1)) fail_some_launch();
  }

  /// At some calls takes a device out of use, or back into it.
  void drain_some() {
    if (!drains_.chance(0.15)) return;
    const device_handle device{device_id{any(drains_)}};
    pass_time(drains_.next() % 30);
    if (drains_.chance(0.4)) {
      resume(device);
    } else {
      drained_.push_back(rt_.drain(device));
      if (drains_.chance(0.3)) (void)drained_.back().error();
    }
  }
  /// At some calls connects a device again that is lost or removed, or removes one that is drained.
  void reopen_some() {
    if (!reopens_.chance(0.1)) return;
    const device_handle device{device_id{any(reopens_)}};
    const device_state state = rt_.report().devices[device.id.value].state;
    if (state == device_state::drained && reopens_.chance(0.3)) {
      rt_.remove(device);
      removed_.insert(device.id.value);
    } else if (state == device_state::lost || state == device_state::removed) {
      rt_.reopen(device);
      removed_.erase(device.id.value);
    }
  }
  /// A lost device stays lost.
  void resume(const device_handle& device) {
    try {
      rt_.resume(device);
    } catch (const error& e) {
      if (e.code() != failure_code::device_lost) throw;
    }
  }
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
    const std::size_t number = any(failures_);
    const failure why{codes[failures_.next() % codes.size()], "planned failure"};
    const std::uint64_t nth = 1 + failures_.next() % 10;
    if (!removed_.contains(number)) simulated(number).fail_launch(nth, why);
  }

  runtime& rt_;
  const kinds which_;
  const std::size_t devices_;
  seeded_stream losses_;
  seeded_stream failures_;
  seeded_stream drains_;
  seeded_stream reopens_;
  std::set<std::size_t> removed_;  ///< devices that are not there
  std::vector<future<void>> drained_;
  bool has_lost_ = false;
};

}  // namespace hocket::seeded
