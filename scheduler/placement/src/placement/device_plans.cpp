// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_plans.hpp"

#include <algorithm>

namespace hocket::placement {

bool device_plans::look_at(const device_view& devices) {
  bool has_gained = order_.empty();
  of_.resize(devices.count());
  rooms_ = 0;
  for (std::size_t i = 0; i < of_.size(); ++i) {
    plan& each = of_[i];
    each.seen_free_at = devices.backlog(device_id{i});
    each.seen_room = devices.room(device_id{i}, each.seen_free_at);
    rooms_ += each.seen_room;
    if (each.seen_room > each.room) has_gained = true;
  }
  return has_gained;
}

void device_plans::begin(bool rooms_stay_useless) {
  useful_rooms_ = 0;
  for (std::size_t i = 0; i < of_.size(); ++i) {
    plan& each = of_[i];
    each.is_useless = rooms_stay_useless && each.seen_room <= each.room;
    each.free_at = each.seen_free_at;
    each.room = each.seen_room;
    each.load_of_links = -1;
    if (!each.is_useless) useful_rooms_ += each.room;
    if (order_.size() == i) order_.push_back(device_id{i});
  }
  sort();
}

void device_plans::take_room(device_id device) {
  plan& each = of_[device.value];
  --each.room;
  --rooms_;
  if (!each.is_useless) --useful_rooms_;
}

/// By insertion: the order of the last round is almost right.
void device_plans::sort() {
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const device_id moved = order_[i];
    std::size_t to = i;
    for (; to > 0 && comes_before(moved, order_[to - 1]); --to) order_[to] = order_[to - 1];
    order_[to] = moved;
  }
}

void device_plans::put_off(device_id device, nanoseconds until) {
  of_[device.value].free_at = until;
  auto at = std::ranges::find(order_, device);
  for (; at + 1 != order_.end() && comes_before(at[1], device); ++at) at[0] = at[1];
  *at = device;
}

double device_plans::load_of_links(device_id device, const device_view& devices) {
  double& known = of_[device.value].load_of_links;
  if (known < 0) known = devices.load_of_links(device);
  return known;
}

}  // namespace hocket::placement
