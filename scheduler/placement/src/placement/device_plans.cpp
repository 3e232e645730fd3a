// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_plans.hpp"

#include <algorithm>

namespace hocket::placement {

bool device_plans::have_gained(const device_view& devices) const {
  if (of_.empty()) return true;
  for (std::size_t i = 0; i < of_.size(); ++i) {
    if (devices.has_more_room(device_id{i}, of_[i].room)) return true;
  }
  return false;
}

bool device_plans::look_at(const device_view& devices) {
  bool has_gained = order_.empty();
  of_.resize(devices.count());
  rooms_ = 0;
  for (std::size_t i = 0; i < of_.size(); ++i) {
    plan& each = of_[i];
    each.seen_room = devices.room(device_id{i});
    rooms_ += each.seen_room;
    if (each.seen_room > each.room) has_gained = true;
  }
  return has_gained;
}

void device_plans::begin(const device_view& devices, bool rooms_stay_useless) {
  useful_rooms_ = 0;
  for (std::size_t i = 0; i < of_.size(); ++i) {
    plan& each = of_[i];
    each.is_useless = rooms_stay_useless && each.seen_room <= each.room;
    each.room = each.seen_room;
    if (!each.is_useless) useful_rooms_ += each.room;
    if (seen_order_.size() == i) seen_order_.push_back({nanoseconds{0}, device_id{i}});
  }
  for (free_device& each : seen_order_) {
    each.at = of_[each.device.value].free_at = devices.backlog(each.device);
  }
  sort_seen();
  order_ = seen_order_;
}

void device_plans::take_room(device_id device) {
  plan& each = of_[device.value];
  --each.room;
  --rooms_;
  if (!each.is_useless) --useful_rooms_;
}

/// By insertion: the order in which the last round began, before it planned anything, is almost
/// right.
void device_plans::sort_seen() {
  std::vector<free_device>& order = seen_order_;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i - 1] < order[i]) continue;
    const free_device moved = order[i];
    std::size_t to = i;
    for (; to > 0 && moved < order[to - 1]; --to) order[to] = order[to - 1];
    order[to] = moved;
  }
}

void device_plans::put_off(device_id device, nanoseconds until) {
  of_[device.value].free_at = until;
  const free_device later{until, device};
  free_device* at = order_.data();
  // Devices that are free early are put off most often.
  while (at->device != device) ++at;
  free_device* to = at + 1;
  free_device* const end = order_.data() + order_.size();
  // Searching by halves is cheaper only where many devices are passed.
  for (int passed = 0; passed < 8 && to != end && *to < later; ++passed, ++to) to[-1] = *to;
  if (to != end && *to < later) {
    free_device* const behind = std::lower_bound(to, end, later);
    std::copy(to, behind, to - 1);
    to = behind;
  }
  to[-1] = later;
}

}  // namespace hocket::placement
