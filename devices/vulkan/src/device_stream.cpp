// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device_stream.hpp"

#include <algorithm>

namespace hocket::vulkan {

std::vector<device_stream::wait_point> device_stream::points_of(
    std::span<const device_wait> waits) {
  std::vector<wait_point> points;
  points.reserve(waits.size());
  for (const device_wait& w : waits) {
    points.push_back({static_cast<const device_stream*>(w.on), w.value});
  }
  return points;
}

bool device_stream::seen(const std::vector<wait_point>& points) {
  return std::ranges::all_of(points, [](const wait_point& p) {
    const std::scoped_lock lock(p.on->guard_);
    return p.on->seen_ >= p.value;
  });
}

void device_stream::await(const std::vector<wait_point>& points) {
  for (const wait_point& p : points) {
    std::unique_lock lock(p.on->guard_);
    p.on->changed_.wait(lock, [&] { return p.on->seen_ >= p.value; });
  }
}

void device_stream::conclude(std::uint64_t value, command_result how, VkResult code) {
  if (code != VK_SUCCESS) {
    how.end = std::max(how.begin, where().now());
    how.why =
        failure(failure_code::device_lost, of_.failed("does not end a command", code).message());
    lose(how.why);
  }
  conclude(value, {&how, 1});
}

void device_stream::conclude(std::uint64_t first, std::span<command_result> how) {
  {
    const std::scoped_lock lock(guard_);
    seen_ = first + how.size() - 1;
  }
  changed_.notify_all();
  after_end();
  ended_in_a_row(first, how);
}

}  // namespace hocket::vulkan
