// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "timeline_stream.hpp"

#include <algorithm>

namespace hocket::vulkan {

failure timeline_stream::make_timeline() {
  auto made = of_.make_timeline();
  if (!made) return made.why();
  timeline_ = std::move(made).value();
  return {};
}

std::vector<timeline_stream::wait_point> timeline_stream::points_of(
    std::span<const device_wait> waits) {
  std::vector<wait_point> points;
  points.reserve(waits.size());
  for (const device_wait& w : waits) {
    const auto& on = static_cast<const timeline_stream&>(*w.on);
    points.push_back({on.timeline(), w.value});
  }
  return points;
}

VkResult timeline_stream::await(const std::vector<wait_point>& points) const {
  for (const wait_point& p : points) {
    const VkResult code = of_.wait(p.timeline, p.value);
    if (code != VK_SUCCESS) return code;
  }
  return VK_SUCCESS;
}

void timeline_stream::conclude(std::uint64_t value, command_result how, VkResult code) {
  if (code != VK_SUCCESS) {
    how.end = std::max(how.begin, where().now());
    how.why =
        failure(failure_code::device_lost, of_.failed("does not end a command", code).message());
    lose(how.why);
  }
  ended(value, how);
}

}  // namespace hocket::vulkan
