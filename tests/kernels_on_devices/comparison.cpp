// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "comparison.hpp"

namespace hocket::testing {

kernels_on_devices::kernels_on_devices() {
  const auto cpu = std::ranges::find(devices_, "cpu", &device_info::backend);
  host_ = rt_.device(cpu->name);
}

void kernels_on_devices::SetUp() {
  if (std::ranges::none_of(devices_, reads_text)) {
    GTEST_SKIP() << "No device of this machine reads OpenCL C, GLSL or CUDA C.";
  }
}

bool kernels_on_devices::reads_text(const device_info& info) {
  return std::ranges::any_of(info.formats,
                             [](kernel_format format) { return format != kernel_format::host; });
}

}  // namespace hocket::testing
