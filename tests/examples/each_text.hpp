// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>
#include <hocket/kernels/program.hpp>

namespace examples_test {

/// A kernel that has one of its texts alone, for each device that reads it.
template <class Kernel>
struct text_on_device {
  Kernel only;
  std::vector<hocket::device_style> styles;  ///< that it is meant for
  hocket::device_info info;
  hocket::device_handle on;
};

/// Every text of the kernel for every device that reads its language and has its types, whatever
/// style of device it is meant for: texts for GPUs are tested where there is none.
template <class Kernel>
[[nodiscard]] std::vector<text_on_device<Kernel>> each_text(hocket::runtime& rt,
                                                            const Kernel& kernel) {
  std::vector<text_on_device<Kernel>> made;
  for (const hocket::device_info& info : rt.devices()) {
    for (hocket::kernel_source source : kernel.definition()->sources) {
      if (std::ranges::find(info.formats, source.format) == info.formats.end()) continue;
      const auto uses = [&](hocket::element_type type) {
        return hocket::uses_type(*kernel.definition(), source, type);
      };
      if (std::ranges::any_of(info.lacks, uses)) continue;
      const auto styles = std::exchange(source.styles, {});
      made.push_back({kernel.with(source), styles, info, rt.device(info.name)});
    }
  }
  return made;
}

}  // namespace examples_test
