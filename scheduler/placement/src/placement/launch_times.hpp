// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "placement/cost_model.hpp"
#include "placement/device_record.hpp"

namespace hocket::placement {

/// How long launches of one kernel with the same work take on each device, without their data.
struct launch_times {
  struct on_device {
    nanoseconds time{0};
    bool can_run = false;  ///< the device is there and has a body; else there is no time
  };
  std::vector<on_device> on;
  device_id fastest;         ///< the first of equals; not valid if no device can run it
  float mean = 0;            ///< in nanoseconds, of the devices that can run it
  double least_cost = 0;     ///< see device_view::least_cost
  std::uint64_t prices = 0;  ///< device_prices::changes that least_cost rests on
};

/// The times of launches, which tasks with the same kernel and the same work share. Where each task
/// has work of its own, they are worked out of speeds that tasks of about the same size share.
class launch_time_table {
 public:
  launch_time_table(const machine& machine, const cost_model& model,
                    const std::vector<device_record>& devices)
      : machine_(machine), model_(model), devices_(devices) {}

  /// Valid until the next call.
  [[nodiscard]] launch_times& of(const launch_command& task) const;

 private:
  /// A kernel, which is compared by its owner: one that begins to live at the same address has
  /// another.
  struct known_kernel {
    std::weak_ptr<const kernel_definition> definition;
    body_width width = body_width::serial;
    std::uint64_t estimates = 0;  ///< cost_model::launch_changes that times rest on

    [[nodiscard]] bool is_of(const launch_command& task) const noexcept {
      return width == task.width && !definition.owner_before(task.kernel) &&
             !task.kernel.owner_before(definition);
    }
  };
  struct known_launch : known_kernel {
    launch_work cost;
    launch_times times;
  };
  struct on_device {
    launch_speed speed;
    bool can_run = false;
    std::uint64_t estimates = 0;  ///< cost_model::launch_changes of the device
  };
  struct known_size : known_kernel {
    int size = 0;  ///< see work::size
    std::vector<on_device> on;
  };
  static constexpr std::size_t most_launches = 256, most_sizes = 64;

  [[nodiscard]] const known_size& speeds_of(const launch_command& task) const;
  void work_out(launch_times& to, const launch_command& task) const;
  void note_kernel(known_kernel& to, const launch_command& task) const;

  const machine& machine_;
  const cost_model& model_;
  const std::vector<device_record>& devices_;
  // Each has one place, where it takes that of another.
  mutable std::vector<known_launch> launches_{most_launches};
  mutable std::vector<known_size> sizes_{most_sizes};
};

}  // namespace hocket::placement
