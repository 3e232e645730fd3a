// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launch_case.hpp"

namespace hocket::testing {

/// Runs bodies in OpenCL C on the first device of the first platform, without Hocket's own backend.
class opencl_runner {
 public:
  opencl_runner();
  ~opencl_runner();
  opencl_runner(const opencl_runner&) = delete;
  opencl_runner& operator=(const opencl_runner&) = delete;

  /// Why nothing can run; empty if it can.
  [[nodiscard]] const std::string& missing() const { return missing_; }

  /// The arrays after the launch of a body. Throws std::runtime_error with the compiler's log.
  [[nodiscard]] std::vector<device_array> run(const launch_case& launch,
                                              const kernel_source& source);

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::string missing_;
};

}  // namespace hocket::testing
