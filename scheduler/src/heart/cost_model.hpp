// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "heart/machine.hpp"
#include "heart/request.hpp"

namespace hocket::heart {

/// Predicts how long a task runs on a device: the median of what was measured for the same kernel,
/// on the same device, at about the same size; before the first measurement the device's own rates.
class cost_model {
 public:
  explicit cost_model(const machine& machine) : machine_(machine) {}

  [[nodiscard]] nanoseconds predict(const request& task, device_id device) const;
  void measured(const request& task, device_id device, nanoseconds took);

  /// Time of a copy of bytes on the link, without anything in its way.
  [[nodiscard]] static nanoseconds copy_time(const machine::link& link, std::uint64_t bytes);

 private:
  struct key {
    std::string kernel;
    device_id device;
    int size;  ///< floor of log2 of the work
    friend auto operator<=>(const key&, const key&) = default;
  };
  struct samples {
    std::vector<nanoseconds> last;  ///< a ring
    std::size_t next = 0;
    nanoseconds median{0};
  };

  [[nodiscard]] static key key_of(const request& task, device_id device);
  [[nodiscard]] nanoseconds from_rates(const request& task, device_id device) const;

  const machine& machine_;
  std::map<key, samples> samples_;
};

}  // namespace hocket::heart
