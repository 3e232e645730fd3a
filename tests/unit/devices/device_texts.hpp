// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../kernels/launch_case.hpp"
#include "gpu/compiler.hpp"

namespace hocket::testing {

/// The different programs of some launches for a compiler of CUDA C or HIP, and whether each uses
/// double.
inline std::map<std::string, bool> programs_of(const std::vector<launch_case>& cases,
                                               const gpu::compiler& with) {
  std::map<std::string, bool> texts;
  for (const launch_case& launch : cases) {
    std::vector<device_argument> arguments;
    for (const device_array& b : launch.buffers) arguments.push_back(b.on_device());
    for (const kernel_source& source : launch.kernel->sources) {
      if (source.format != kernel_format::cuda_c) continue;
      const lowered_launch made = lower(*launch.kernel, source, arguments, launch.scalars).value();
      for (std::size_t pass = 0; pass < source.passes.size(); ++pass) {
        texts[with.program(*launch.kernel, source, pass, made.variant)] =
            uses_type(*launch.kernel, source, element_type::f64);
      }
    }
  }
  return texts;
}

}  // namespace hocket::testing
