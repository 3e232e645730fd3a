// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/launch_plan.hpp>

#include <boost/container/small_vector.hpp>

namespace hocket {

result<lowered_command> lower_command(const launch_command& what, kernel_format format,
                                      device_style style, const std::string& device) {
  const kernel_source* const source = source_for(*what.kernel, format, style);
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

}  // namespace hocket
