// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/loss_handler.hpp"

#include <algorithm>

namespace hocket::placement {

namespace {

/// True if the command waits for the other one, directly.
bool comes_after(const command_record& c, point other) {
  // Of its own stream a command waits for what was planned before it.
  if (c.number.stream == other.stream) return c.number.value > other.value;
  if (seeded_bug(bug::trust_copies_behind)) return false;
  return c.after != nullptr && std::any_of(c.after->begin(), c.after->end(), [&](point p) {
           return p.stream == other.stream && p.value >= other.value;
         });
}

}  // namespace

void loss_handler::copy_ended(const command_record& record, const command_result& how) {
  const copied_part& copy = *record.copy;
  for (const device_id owner : owners_[copy.to.value]) {
    s_.devices[owner.value].done.bytes_in += copy.bytes;
  }
  for (const device_id owner : owners_[copy.from.value]) {
    s_.devices[owner.value].done.bytes_out += copy.bytes;
  }
  s_.trace.ended(record, how, s_.tasks.find(record.task));
  if (s_.takes_notes) s_.decisions.copy_ended(record, how);
  if (how.why) {
    fail_copy(record, how.why);
  } else {
    s_.costs.copies().measured(copy.from, copy.to, copy.bytes, how.end - how.begin);
  }
  const auto device = s_.nodes.streams[record.number.stream.value].device;
  if (device) s_.work.mark_dirty(*device);
}

void loss_handler::fail_copy(const command_record& record, const failure& why) {
  const copied_part& copy = *record.copy;
  if (s_.buffers.find(copy.data) == nullptr)
    return;  // the buffer was dropped while it was fetched ahead
  s_.log.versions().invalidate_cut();
  s_.content.fail_copy(copy.data, copy.region, copy.to, record.number, why);
  s_.evictions.touch(copy.data);
  poison_readers(record, why);
  placed_task* const view = s_.tasks.find(record.task);
  if (view != nullptr && view->kind != task_kind::launch) poison(*view, why);
  // Copies of what it brought are invalid too.
  s_.commands.each([&](const command_record& c) {
    if (c.copy != nullptr && c.copy->data == copy.data && c.copy->from == copy.to &&
        overlap(c.copy->region, copy.region) && comes_after(c, record.number)) {
      fail_copy(c, why);
    }
  });
}

void loss_handler::poison_readers(const command_record& record, const failure& why) {
  const copied_part& copy = *record.copy;
  const auto look_at = [&](const command_record& c) {
    placed_task* const t = c.launched;
    if (t == nullptr || s_.node_of(*t).memory != copy.to || !comes_after(c, record.number)) return;
    for (const task_access& a : t->accesses) {
      if (a.data != copy.data || !reads_content(a.mode)) continue;
      if (overlap(a.region(), copy.region)) poison(*t, why);
    }
  };
  s_.commands.each(look_at);
  // Streams report in no common order.
  for (const auto& [number, c] : s_.commands.apart()) look_at(c);
  if (copy.to == host_memory) poison_views(copy, why);
}

/// A view has no command, and finds out itself that content is missing. But what it updates counts
/// as written by it from when it was issued.
void loss_handler::poison_views(const copied_part& copy, const failure& why) {
  for (const task_id each : s_.awaited_views) {
    placed_task* const view = s_.tasks.find(each);
    if (view == nullptr) continue;
    for (const task_access& a : view->accesses) {
      if (a.data != copy.data || a.mode != access_mode::update) continue;
      if (overlap(a.region(), copy.region)) poison(*view, why);
    }
  }
}

void loss_handler::lose_device(device_id device, const failure& why) {
  device_record& d = s_.devices[device.value];
  if (!d.alive()) return;
  drains_.lose(device, why);
  roster_.set(device, device_state::lost);
  d.lost = why.message();
  // Kernels that another device cannot compile may have no other device any more.
  for (device_record& each : s_.devices) each.refuses.clear();
  ++s_.lost;
  const machine::device_node& node = s_.nodes.devices[device.value];
  if (s_.log.is_on()) recovery_.begin(device, why);
  // Otherwise the reservation would be granted, and the task issued here, when a block is freed.
  placed_task* const reserving = memory_.withdraw(device);
  if (node.owns_memory) {
    lose_memory(device, why);
  } else {
    lose_launches(device, why);
  }
  roster_.place_elsewhere(device, reserving);
  roster_.place_waiting();
}

/// The input of the task, which was issued, is not valid.
void loss_handler::poison(placed_task& t, const failure& why) {
  s_.losses.is_recovering() ? recovery_.affect(t) : t.poison_behind(why);
}

void loss_handler::lose_memory(device_id device, const failure& why) {
  const memory_id memory = s_.nodes.devices[device.value].memory;
  // Copies from the lost memory that are in flight bring invalid content, and still read it.
  timepoint_set readers;
  std::vector<command_record> untrusted;
  s_.commands.each([&](const command_record& c) {
    const bool own = s_.nodes.streams[c.number.stream.value].device == device;
    if (c.copy == nullptr || (!own && c.copy->from != memory)) return;
    untrusted.push_back(c);
    if (!own) readers.add(c.number);
  });
  lose_launches(device, why);
  std::vector<released_block> gone = s_.content.lose(memory, why);
  s_.evictions.touch_all();
  for (const command_record& c : untrusted) {
    if (!seeded_bug(bug::trust_lost_copies)) fail_copy(c, why);
  }
  for (released_block& block : gone) {
    block.after = readers;
    memory_.release(block);
  }
}

void loss_handler::lose_launches(device_id device, const failure& why) {
  s_.lanes.lose(device);
  for (std::size_t i = 0; i < s_.nodes.streams.size(); ++i) {
    if (s_.nodes.streams[i].device != device) continue;
    for (const command_record& c : s_.commands.lose(stream_id{i})) {
      if (c.launched == nullptr) continue;
      placed_task& t = *c.launched;
      if (t.is_preparation) {
        preparations_.forget(t);
        continue;
      }
      if (t.is_duplicate) {
        duplicates_.command_lost(c, why);
        continue;
      }
      s_.work.end_later(t, t.poisoned ? t.poisoned : s_.failed_on_device(t, why));
    }
  }
}

}  // namespace hocket::placement
