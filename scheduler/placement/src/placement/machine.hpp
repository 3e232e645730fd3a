// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/kernels/definition.hpp>
#include <hocket/kernels/kernel_rate.hpp>

namespace hocket::placement {

/// The memory that host views and host tasks without a device of their own use.
inline constexpr memory_id host_memory{0};

/// What the placement engine knows of memories, devices, streams and links: plain values.
struct machine {
  struct memory_node {
    std::string name;
    std::uint64_t capacity = 0;
  };

  struct stream_node {
    std::optional<device_id> device;
    /// Streams of one domain can wait for one another on the device; others through the host.
    std::size_t domain = 0;
  };

  struct device_node {
    std::string name;
    std::string driver;  ///< names of the device and its driver; empty if it has no driver
    memory_id memory;
    bool owns_memory =
        true;  ///< else the memory belongs to another device, and is not lost with this one
    std::vector<stream_id> compute;
    std::vector<kernel_format> formats;
    device_style style = device_style::gpu;
    std::vector<element_type> lacks;
    std::uint64_t largest_binding = 0;  ///< bytes of one kernel argument; 0: no limit
    /// Memory of the program is bound from multiples of binding_unit that are counted from the
    /// multiple of import_unit before it; 1: from anywhere.
    std::uint64_t binding_unit = 1, import_unit = 1;
    bool runs_host_tasks = false;

    /// True if the device has a body for the kernel, and all its types.
    [[nodiscard]] bool runs(const kernel_definition& kernel) const {
      const bool simply = !formats.empty() && formats.front() == kernel_format::host &&
                          kernel.host && kernel.sequence.empty();
      return simply || runs_somehow(kernel);
    }
    /// True if kernels are compiled for the device when they are launched first.
    [[nodiscard]] bool compiles() const noexcept {
      return !formats.empty() && formats.front() != kernel_format::host;
    }
    /// For messages: "OpenCL0 (its name, its driver)".
    [[nodiscard]] std::string label_text() const {
      return driver.empty() ? name : name + " (" + driver + ")";
    }
    [[nodiscard]] bool runs_somehow(const kernel_definition& kernel) const;
    /// Of one lane, for the kernel that is called so.
    [[nodiscard]] double flops_of(std::string_view kernel) const noexcept {
      return rate_of(kernel_rates, kernel) * flops_per_second;
    }
    std::size_t depth = 1;
    nanoseconds ahead{0};
    double flops_per_second = 1e9;  ///< of one lane
    std::vector<kernel_rate> kernel_rates;
    double bytes_per_second = 1e10;
    nanoseconds launch_latency{0};
    double watts = 0;            ///< while it works; 0: unknown
    std::size_t host_cores = 0;  ///< that its kernels run on; 0: none
  };

  /// The cost of one copy from one memory to another.
  struct link {
    stream_id stream;
    double bytes_per_second = 1e10;
    nanoseconds latency{0};
  };

  std::vector<memory_node> memories;
  std::vector<stream_node> streams;
  std::vector<device_node> devices;
  std::vector<std::optional<link>> links;  ///< from * memories.size() + to

  [[nodiscard]] const std::optional<link>& link_between(memory_id from, memory_id to) const {
    return links[from.value * memories.size() + to.value];
  }
};

}  // namespace hocket::placement
