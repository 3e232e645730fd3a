// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/host_ordered_stream.hpp>

#include <algorithm>
#include <utility>

#include <hocket/streams/perform.hpp>

namespace hocket {

std::vector<host_ordered_stream::wait_point> host_ordered_stream::points_of(
    std::span<const device_wait> waits) {
  std::vector<wait_point> points;
  points.reserve(waits.size());
  for (const device_wait& w : waits) {
    points.push_back({static_cast<const host_ordered_stream*>(w.on), w.value});
  }
  return points;
}

bool host_ordered_stream::seen(const std::vector<wait_point>& points) {
  return std::ranges::all_of(points, [](const wait_point& p) {
    const std::scoped_lock lock(p.on->guard_);
    return p.on->seen_ >= p.value;
  });
}

void host_ordered_stream::await(const std::vector<wait_point>& points) {
  for (const wait_point& p : points) {
    std::unique_lock lock(p.on->guard_);
    p.on->changed_.wait(lock, [&] { return p.on->seen_ >= p.value; });
  }
}

void host_ordered_stream::conclude(std::uint64_t first, std::span<command_result> how) {
  {
    const std::scoped_lock lock(guard_);
    seen_ = first + how.size() - 1;
  }
  changed_.notify_all();
  after_end();
  ended_or_lost(first, how);
}

void threaded_stream::do_later(std::uint64_t value, std::span<const device_wait> waits,
                               std::function<failure()> work) {
  pump_.post([this, value, points = points_of(waits), todo = std::move(work)] {
    await(points);
    command_result how;
    how.begin = where().now();
    how.why = todo();
    how.end = where().now();
    conclude(value, {&how, 1});
  });
}

failure host_copy_stream::enqueue(const command& what, std::span<const device_wait> waits) {
  do_later(what.value, waits, [this, copy = std::get<copy_command>(what.what)]() mutable {
    if (!copy.region.empty()) {
      if (address_) address_(copy);
      copy_box(copy);
    }
    return failure();
  });
  return {};
}

}  // namespace hocket
