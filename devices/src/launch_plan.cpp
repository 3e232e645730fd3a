// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/launch_plan.hpp>

#include <boost/container/small_vector.hpp>

#include <hocket/devices/driver_failure.hpp>

namespace hocket {

result<lowered_command> lower_command(const launch_command& what,
                                      std::span<const kernel_format> formats, device_style style,
                                      const std::string& device) {
  const kernel_source* source = nullptr;
  for (std::size_t i = 0; i < formats.size() && source == nullptr; ++i) {
    source = source_for(*what.kernel, formats[i], style);
  }
  if (source == nullptr) {
    return failure(failure_code::task_failed, "Kernel \"" + what.kernel->name +
                                                  "\" has no body for device \"" + device + "\".");
  }
  boost::container::small_vector<device_argument, 4> arguments;
  for (const placed_buffer& b : what.buffers) {
    arguments.push_back({b.part->type(), &b.part->extents(), &b.part->region()});
  }
  auto lowered = lower(*what.kernel, *source, {arguments.data(), arguments.size()}, what.scalars);
  if (!lowered) return lowered.error();
  return lowered_command{source, std::move(lowered).value()};
}

failure check_groups(const kernel_definition& kernel, const kernel_source& source,
                     const grid& max_local, std::size_t max_items, const std::string& device) {
  for (const kernel_pass& pass : source.passes) {
    std::size_t items = 1;
    bool fits = true;
    for (std::size_t d = 0; d < pass.local.size(); ++d) {
      items *= pass.local[d];
      fits = fits && pass.local[d] <= max_local[d];
    }
    if (fits && items <= max_items) continue;
    return compile_failure(device, kernel.name,
                           "its groups have " + std::to_string(items) +
                               " work-items, and the device allows " + std::to_string(max_items) +
                               ".");
  }
  return {};
}

}  // namespace hocket
