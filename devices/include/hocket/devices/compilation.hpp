// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

namespace hocket {

/// A kernel that a device's driver compiles, or fetches from a cache.
struct compilation {
  std::string device;
  std::string kernel;

  bool operator==(const compilation&) const = default;
};

/// The device compiles the kernel while this lives.
class compilation_note {
 public:
  compilation_note(const std::string& device, const std::string& kernel);
  compilation_note(const compilation_note&) = delete;
  compilation_note& operator=(const compilation_note&) = delete;
  ~compilation_note();

 private:
  const compilation of_;
};

/// The kernels that devices of this process compile at this moment, in no particular order. Any
/// thread.
[[nodiscard]] std::vector<compilation> compilations_under_way();

}  // namespace hocket
