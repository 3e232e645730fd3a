// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <hocket/devices/backend.hpp>
#include <hocket/devices/fault_plan.hpp>
#include <hocket/devices/registry.hpp>

namespace hocket {

namespace faults {
class hub;
}

/// Carries out a plan on devices of any backend: it stands between a runtime and each of them, and
/// passes on what no rule meets as it is. Outlives the devices. Any thread, but for decorate().
class fault_injector {
 public:
  explicit fault_injector(fault_plan plan);
  fault_injector(const fault_injector&) = delete;
  fault_injector& operator=(const fault_injector&) = delete;
  ~fault_injector();

  [[nodiscard]] const fault_plan& plan() const noexcept;

  /// Devices that have faults once they are connected, in the order of those given. Throws
  /// usage_error if a rule names a device that is not among them, or is to lose one that cannot be
  /// lost.
  [[nodiscard]] candidate_list decorate(candidate_list devices);

  /// The use that a device makes of memory, which is known when it is connected.
  struct memory_use {
    bool has_copies = true;  ///< false if it uses the host's memory in place
    bool allocates = true;   ///< false if it has no memory of its own
  };
  /// Throws usage_error if a rule names the device and counts what it never does.
  void check(const std::string& device, memory_use use) const;

  /// Commands that hang, and those that are to, fail from now on.
  void release_hangs();

  [[nodiscard]] fault_counts counts() const;

  /// A sentence for each rule that has met no call, or whose draws spared all.
  [[nodiscard]] std::vector<std::string> unmet() const;

 private:
  std::shared_ptr<faults::hub> hub_;
};

}  // namespace hocket
