// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "trial.hpp"

#include <algorithm>
#include <array>

#include <hocket/execution/seed.hpp>
#include <hocket/hocket.hpp>

#include "bodies.hpp"
#include "crowd.hpp"

namespace hocket::seeded {

namespace {

constexpr std::array<std::string_view, trial_kinds> kind_names{"plain", "faults", "survive",
                                                               "in-place", "crowd"};

// On the virtual clock commands take microseconds, and real drivers may compile for seconds.
constexpr nanoseconds hang_on_virtual_clock = std::chrono::milliseconds(2);
constexpr nanoseconds hang_on_real_clock = std::chrono::seconds(20);

/// The faults of the runtime's plan, which injects them itself.
class planned_faults final : public disturbance {
 public:
  explicit planned_faults(runtime& rt) : rt_(rt) {}

  void before_step() override {}
  void pass_time(std::size_t events) override {
    for (std::size_t i = 0; i < events; ++i) rt_.async([] {}).wait();
  }
  void lose_device(std::size_t /*number*/) override {}
  [[nodiscard]] bool may_show() const override {
    if (!shows_) {
      const fault_counts met = rt_.report(report_detail::counts).faults;
      shows_ = met.failed + met.hung + met.lost > 0;
    }
    return shows_;
  }

 private:
  runtime& rt_;
  mutable bool shows_ = false;
};

/// Draws the rules of a plan.
class planner {
 public:
  planner(std::uint64_t seed, std::vector<std::string> devices, trial_kind kind, bool only_launches)
      : random_(seed, 7),
        devices_(std::move(devices)),
        only_delays_(kind == trial_kind::plain),
        only_launches_(only_launches),
        most_failing_copies_(kind == trial_kind::survive ? 7 : 50) {}

  std::vector<fault_rule> run() {
    std::vector<fault_rule> made(1 + random_.below(4));
    for (fault_rule& each : made) each = draw_rule();
    return made;
  }

 private:
  fault_rule draw_rule() {
    if (!only_delays_ && !only_launches_ && random_.chance(0.15)) return draw_failing_copies();
    fault_rule made;
    made.device = devices_[random_.below(devices_.size())];
    const std::uint64_t kind = only_delays_ ? 0 : random_.below(10);
    made.action = kind < 2   ? fault_action::delay
                  : kind < 7 ? fault_action::fail
                  : kind < 9 ? fault_action::lose
                             : fault_action::hang;
    // Real devices may use the memory of the host, without copies and allocations.
    constexpr std::array calls{fault_call::launch,    fault_call::compile, fault_call::wait,
                               fault_call::copy,      fault_call::copy_in, fault_call::copy_out,
                               fault_call::allocation};
    // An allocation is answered at once: it is neither late nor does it hang.
    const bool waits = made.action == fault_action::delay || made.action == fault_action::hang;
    made.call = calls[random_.below(only_launches_ ? 3 : calls.size() - (waits ? 1 : 0))];
    if (made.action == fault_action::delay) {
      made.by = std::chrono::microseconds(1 + random_.below(200));
    }
    draw_moment(made);
    return made;
  }

  /// So many that content is lost on its way to where it was to be kept, again and again.
  fault_rule draw_failing_copies() {
    constexpr std::array calls{fault_call::copy, fault_call::copy_in, fault_call::copy_out};
    return {.action = fault_action::fail,
            .device = "*",
            .call = calls[random_.below(calls.size())],
            .percent = 2 + static_cast<double>(random_.below(most_failing_copies_ - 1))};
  }

  void draw_moment(fault_rule& of) {
    of.first = 1 + random_.below(25);
    const bool once = of.action == fault_action::lose || of.action == fault_action::hang;
    if (once || random_.chance(0.4)) return;
    if (random_.chance(0.5)) {
      of.last = of.first + random_.below(5);
    } else {
      of.first = 1;
      of.percent = 1 + static_cast<double>(random_.below(10));
    }
  }

  seeded_stream random_;
  std::vector<std::string> devices_;
  bool only_delays_;
  bool only_launches_;
  std::uint64_t most_failing_copies_;  ///< per cent; all attempts of a task may fail with more
};

/// A stream of its own draws the crowds, so that other seeds mean what they meant before.
trial_kind draw_kind(std::uint64_t seed) {
  if (seeded_stream(seed, 10).chance(0.1)) return trial_kind::crowd;
  constexpr std::uint64_t others = trial_kinds - 1;
  return static_cast<trial_kind>(seeded_stream(seed, 8).below(others));
}

std::vector<std::string> simulated_names(std::size_t devices) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i + 1 < devices; ++i) made.push_back("Sim" + std::to_string(i));
  return made;
}

void add_faults(program& to, trial_kind kind, const trial_settings& settings) {
  std::vector<std::string> devices = settings.device_names;
  if (settings.run.real_devices) {
    devices.erase(devices.begin());
  } else {
    devices = simulated_names(to.devices);
  }
  if (devices.empty()) return;
  to.faults = kind == trial_kind::crowd
                  ? crowd_faults(to.seed, devices, settings.run.real_devices)
                  : planner(to.seed, devices, kind, settings.run.real_devices).run();
  const bool hangs = std::any_of(to.faults.begin(), to.faults.end(), [](const fault_rule& each) {
    return each.action == fault_action::hang;
  });
  if (!hangs) return;
  to.hang_timeout = settings.run.real_clock ? hang_on_real_clock : hang_on_virtual_clock;
}

}  // namespace

std::string_view to_string(trial_kind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::vector<real_device> find_real_devices(const std::string& names) {
  runtime_options options;
  options.devices = names;
  runtime rt(options);
  const matrix from(rt, shape<2>{1, 1}, number{1}, "from"), to(rt, shape<2>{1, 1}, "to");
  std::vector<real_device> found;
  for (const device_info& each : rt.devices()) {
    found.push_back({each.name});
    try {
      const device_handle on = rt.device(each.name);
      rt.submit({.on = on}, all_bodies().w1, number{1}, number{0}, reads(from), writes(to)).wait();
    } catch (const usage_error&) {
      found.back().computes = false;
    }
  }
  return found;
}

trial make_trial(std::uint64_t seed, const trial_settings& settings) {
  const trial_kind kind = settings.kind.value_or(draw_kind(seed));
  const bool is_crowd = kind == trial_kind::crowd;
  const program_shape shape{settings.tasks, kind == trial_kind::faults};
  trial made{is_crowd ? make_crowd(seed, shape) : make_program(seed, shape), settings.run};
  made.run.in_place = kind == trial_kind::in_place;
  made.run.survives = is_crowd || kind == trial_kind::survive;
  made.run.disturb = [](runtime& rt, const program&, const run_settings&) {
    return std::make_unique<planned_faults>(rt);
  };
  if (made.run.real_devices) fit_to_devices(made.made, settings.device_names.size());
  if (made.run.in_place) return made;
  const std::vector<std::string> policies = placement_policies();
  // What is found in crowds is in the placement by plans, above all.
  const bool is_default = is_crowd && seeded_stream(seed, 13).chance(0.7);
  made.made.policy = is_default ? "" : policies[seeded_stream(seed, 9).below(policies.size())];
  add_faults(made.made, kind, settings);
  return made;
}

}  // namespace hocket::seeded
