// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include <hocket/devices/sim.hpp>

namespace hocket {

/// The faults to be made. The streams of a device share it, and outlive the device object itself.
struct sim_device::faults {
  std::atomic<bool> refuses_memory{false};
  std::mutex mutex;                        // guards what follows
  std::uint64_t launches = 0;              ///< that were started
  std::map<std::uint64_t, failure> fails;  ///< by the number of the launch

  /// Counts one launch; returns how it is to fail, if it is.
  [[nodiscard]] failure next_launch();
};

}  // namespace hocket
