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

host_copy_stream::host_copy_stream(driver_domain& domain, executor& where,
                                   std::shared_ptr<host_epoch> epoch, stream_id id, host_copies how)
    : host_ordered_stream(domain, where, std::move(epoch), id),
      how_(std::move(how)),
      pump_(how_.thread) {}

host_copy_stream::~host_copy_stream() { close(); }

bool host_copy_stream::prepared(const command& /*what*/) { return true; }

failure host_copy_stream::prepare(const command& /*what*/) { return {}; }

failure host_copy_stream::enqueue(const command& what, std::span<const device_wait> waits) {
  pump_.post([this, value = what.value, copy = std::get<copy_command>(what.what),
              points = points_of(waits)] { perform(value, copy, points); });
  return {};
}

void host_copy_stream::perform(std::uint64_t value, copy_command what,
                               const std::vector<wait_point>& points) {
  await(points);
  command_result how;
  how.begin = where().now();
  if (!what.region.empty()) {
    if (how_.address) how_.address(what);
    copy_box(what);
  }
  how.end = where().now();
  conclude(value, {&how, 1});
}

}  // namespace hocket
