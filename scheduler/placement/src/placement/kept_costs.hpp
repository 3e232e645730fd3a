// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/kernels/definition.hpp>

namespace hocket::placement {

/// How long launches of a kernel on a device took that did about so much work.
struct kept_launch {
  launch_work done;
  bool is_wide = false;
  nanoseconds time{0};
};

/// How long copies of about so many bytes took.
struct kept_copy {
  memory_id from;
  memory_id to;
  std::uint64_t bytes = 0;
  nanoseconds time{0};
};

/// Costs that were measured so often are told to other processes. One may be an outlier, and the
/// first one is.
inline constexpr std::size_t enough_to_tell = 2;

/// Costs that one process has measured, for others.
struct measured_costs {
  struct launch {
    std::string kernel;
    device_id device;
    kept_launch took;
  };
  std::vector<launch> launches;
  std::vector<kept_copy> copies;
};

/// Costs that other processes have measured. The model asks while the placement engine
/// is stepped, in that thread; the answers stay the same.
class kept_costs {
 public:
  virtual ~kept_costs() = default;
  [[nodiscard]] virtual std::vector<kept_launch> of_kernel(const kernel_definition& kernel,
                                                           device_id device) = 0;
  [[nodiscard]] virtual std::vector<kept_copy> of_copies() = 0;
};

}  // namespace hocket::placement
