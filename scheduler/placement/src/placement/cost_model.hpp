// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hocket/streams/command.hpp>

#include "placement/copy_costs.hpp"
#include "placement/device_prices.hpp"
#include "placement/kept_costs.hpp"
#include "placement/machine.hpp"
#include "placement/recent_median.hpp"

namespace hocket::placement {

/// The launches of a kernel at about one size on all devices together.
struct kernel_total {
  nanoseconds busy{0};     ///< with launches that were measured
  nanoseconds longest{0};  ///< of them
  /// When they have been busy for so long, some device may be worth a trial.
  nanoseconds next_look{0};

  /// Predictions change often at first: so much later there is something to look at.
  [[nodiscard]] nanoseconds soon() const noexcept { return busy + busy / 8; }
  void look_soon() noexcept { next_look = std::min(next_look, soon()); }
};

/// What is known of a kernel on a device, at about one size.
struct kernel_costs {
  recent_median factor;        ///< measured time / by rates
  std::uint64_t launches = 0;  ///< that were measured
  launch_work done;            ///< by these
  double lane_time = 0;        ///< that these had, in nanoseconds
  bool is_wide = false;        ///< it has all lanes of a device
  bool was_kept = false;       ///< the first factor is that of another process
  double tried_factor = 0;     ///< what predictions rest on during a trial; 0: there is none
  kernel_total* total = nullptr;
  nanoseconds busy_then{0};   ///< of the total, when a launch here was measured last
  std::vector<bool> runs_on;  ///< the devices that have a body for it
};

/// A prediction, with what it rests on, so that the measurement need not look for that.
struct time_estimate {
  nanoseconds time{0};
  kernel_costs* known = nullptr;  ///< null if it rests on rates
};

/// How long launches of one kernel with about the same work take on a device, in nanoseconds.
struct launch_speed {
  double fixed = 0, for_flop = 0, for_byte = 0;

  [[nodiscard]] double time_of(const launch_work& done) const noexcept {
    return fixed + std::max(done.flops * for_flop, done.bytes * for_byte);
  }
};

/// Predicts how long a task runs on a device: what the device's rates say, times the median of how
/// wrong they were for the same kernel, on the same device, at about the same size; if that is not
/// known, at the nearest size. A time that another process has measured counts as one measurement,
/// which is believed at once.
///
/// A device that was slow is not used, and so would never be seen to have become fast. When the
/// other devices have worked on a kernel for so long that a trial costs less than one part in 128
/// of that, the device is predicted to be a little faster than the fastest, until a launch there is
/// measured. What that says is believed until the median has followed, or a launch is slow again.
class cost_model {
 public:
  /// kept: what other processes have measured, asked for once for each kernel and device; null for
  /// nothing. It lives as long as the model.
  explicit cost_model(const machine& machine, kept_costs* kept = nullptr)
      : machine_(machine),
        kept_(kept),
        asked_for_(machine.devices.size()),
        findings_(machine.devices.size()),
        changes_on_(machine.devices.size()),
        copies_(machine, kept) {}

  [[nodiscard]] nanoseconds predict(const launch_command& task, device_id device) const {
    return estimate_of(task, device).time;
  }
  /// True if a launch was measured, here or by another process.
  [[nodiscard]] bool knows(const launch_command& task, device_id device) const {
    return find(task, device) != nullptr;
  }
  [[nodiscard]] time_estimate estimate_of(const launch_command& task, device_id device) const;
  /// The speed that predictions for all launches of the task's kernel and size rest on.
  [[nodiscard]] launch_speed speed_of(const launch_command& task, device_id device) const;
  /// before: what was predicted for the same task on the same device.
  void measured(const launch_command& task, device_id device, nanoseconds took,
                const time_estimate& before = {});

  /// The device can run the kernel now, and was to run it when nothing was known of the others: it
  /// is tried as soon as they leave it idle, if no launch there was measured.
  void try_soon(const launch_command& task, device_id device);

  /// Adds to the program, for each kernel and size, how long all launches that were measured take
  /// on each device: as long as the launches there took in the mean, or where there were none, as
  /// is predicted. What was done is a solution of the program, so that its bound is not above the
  /// time that it took.
  void add_done(device_prices& to) const;

  /// Costs that were measured here often enough to be told to other processes.
  [[nodiscard]] measured_costs learned() const;

  /// Predictions change for another reason than a measurement.
  void note_change() noexcept {
    ++launch_changes_;
    ++changes_on_all_;
  }
  /// Counts calls of note_change(), and changes of predictions by more than an eighth.
  [[nodiscard]] std::uint64_t changes() const noexcept {
    return launch_changes_ + copies_.changes();
  }
  /// Counts those that are not due to copies.
  [[nodiscard]] std::uint64_t launch_changes() const noexcept { return launch_changes_; }
  /// Counts those of launch_changes() that are about the device.
  [[nodiscard]] std::uint64_t launch_changes(device_id device) const {
    return changes_on_all_ + changes_on_[device.value];
  }
  [[nodiscard]] copy_costs& copies() noexcept { return copies_; }
  [[nodiscard]] const copy_costs& copies() const noexcept { return copies_; }
  /// The mean time of the last launches.
  [[nodiscard]] nanoseconds usual_launch() const noexcept { return usual_launch_; }

 private:
  template <class Name>
  struct launch_key_with {
    Name kernel;
    device_id device;
    int size;  ///< floor of log2 of the work
  };
  using launch_key = launch_key_with<std::string>;
  using launch_view = launch_key_with<std::string_view>;
  /// Compares keys with views of keys, so that looking one up copies no name. Sizes of one kernel
  /// on one device are neighbours.
  struct launch_order {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
      if (a.device != b.device) return a.device < b.device;
      if (const int names = std::string_view(a.kernel).compare(b.kernel); names != 0)
        return names < 0;
      return a.size < b.size;
    }
  };
  /// What was found last for a kernel of some size on a device. It does not keep the kernel, but
  /// its name to compare: another one never has the same owner.
  struct finding {
    std::weak_ptr<const kernel_definition> kernel;
    int size = 0;
    kernel_costs* known = nullptr;
  };
  static constexpr std::size_t max_findings = 8;  // of each device; often wanted again
  [[nodiscard]] static launch_view key_of(const launch_command& task, device_id device);
  /// How wrong rates are for the size of the kernel that is nearest to that of the task.
  [[nodiscard]] std::optional<double> factor_of_other_sizes(const launch_command& task,
                                                            device_id device) const;
  /// How wrong rates are for the task; none if they were not measured.
  [[nodiscard]] std::optional<double> factor_of(const launch_command& task, device_id device,
                                                const kernel_costs* known) const;
  [[nodiscard]] launch_speed rates_of(std::string_view kernel, bool is_wide,
                                      device_id device) const;
  [[nodiscard]] nanoseconds launch_by_rates(const launch_command& task, device_id device) const {
    return launch_by_rates(task.kernel->name, task.cost, task.width == body_width::wide, device);
  }
  [[nodiscard]] nanoseconds launch_by_rates(std::string_view kernel, const launch_work& of,
                                            bool is_wide, device_id device) const;

  /// How many lanes a launch of the task has.
  [[nodiscard]] double lanes_of(const launch_command& task, device_id device) const;
  void look_for_trial(const launch_command& task, kernel_total& total);
  void begin_trial(const launch_command& task, device_id device, nanoseconds best);
  /// What was done of a kernel at about one size, on all devices.
  struct done_work;
  [[nodiscard]] std::map<std::pair<std::string, int>, done_work> all_done() const;
  [[nodiscard]] static launch_command mean_of(const std::string& kernel, const done_work& work);
  static void end_trial(kernel_costs& known, double factor) noexcept;
  void note_change_on(device_id device) noexcept {
    ++launch_changes_;
    ++changes_on_[device.value];
  }

  using launch_table = std::map<launch_key, kernel_costs, launch_order>;
  [[nodiscard]] kernel_costs& make_entry(const kernel_definition& kernel, device_id device,
                                         int size, bool is_wide) const;
  /// Makes entries of what was kept of the kernel on the device, in all sizes. Returns whether
  /// there are any; false if that was asked before.
  bool recall(const kernel_definition& kernel, device_id device) const;
  [[nodiscard]] kernel_costs* find(const launch_command& task, device_id device) const;
  [[nodiscard]] kernel_costs* look_up(const launch_command& task, device_id device,
                                      finding& last) const;

  const machine& machine_;
  kept_costs* const kept_;
  mutable std::vector<std::set<std::string>> asked_for_;  ///< the names of kernels, of each device
  mutable launch_table launches_;
  /// By the name of the kernel and the size. Nodes of a map stay where they are.
  mutable std::map<std::pair<std::string, int>, kernel_total> totals_;
  mutable std::vector<std::array<finding, max_findings>> findings_;  ///< of each device
  std::vector<std::uint64_t> changes_on_;                            ///< each device
  nanoseconds usual_launch_{0};
  std::uint64_t launch_changes_ = 0;
  std::uint64_t changes_on_all_ = 0;  ///< of launches
  copy_costs copies_;
};

}  // namespace hocket::placement
