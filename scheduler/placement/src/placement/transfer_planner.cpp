// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/transfer_planner.hpp"

#include <algorithm>
#include <utility>

#include "data/unusable_input.hpp"

namespace hocket::placement {

failure transfer_planner::unusable_input(const placed_task& t) const {
  for (const task_access& a : t.accesses) {
    if (!reads_content(a.mode) || a.is_empty()) continue;
    const content_state& content = content_.content_of(a.data);
    // It says that the reader did not run, which is not true of the task that a fetch is of.
    failure why = t.kind == task_kind::fetch ? content.poison_of(a.region()) : failure();
    if (!why) {
      why = detail::unusable_input(content, a.region(), a.mode, t.label_text(), a.buffer->label);
    }
    if (why) return why;
  }
  return {};
}

/// A band is copied from and to the host alone, which has all of the buffer.
bool transfer_planner::is_linked(data_id data, memory_id from, memory_id to) const {
  const bool is_peer = from != host_memory && to != host_memory;
  if (is_peer && (content_.band(data, from) != nullptr || content_.band(data, to) != nullptr)) {
    return false;
  }
  return machine_.link_between(from, to).has_value();
}

void transfer_planner::bring_to_host(data_id data, const box& region, memory_id on_the_way_to,
                                     task_id for_task) {
  std::vector<box> parts;
  content_.for_missing(
      data, region, on_the_way_to, [&](const box& part, std::span<const memory_id> holders) {
        const bool direct = std::any_of(holders.begin(), holders.end(), [&](memory_id from) {
          return is_linked(data, from, on_the_way_to);
        });
        if (!direct) parts.push_back(part);
      });
  if (parts.empty()) return;
  replicas_.take_block(data, host_memory);
  for (const box& part : parts) {
    (void)bring(data, part, host_memory, for_task);
  }
}

void transfer_planner::write_back(data_id data, memory_id from) {
  replicas_.take_block(data, host_memory);
  content_.write_back(data, from, host_memory,
                      [&](const copy_request& wanted) { return copy(wanted, task_id{}); });
}

timepoint_set transfer_planner::bring(data_id data, const box& region, memory_id memory,
                                      task_id for_task) {
  // Mostly the content is present.
  if (content_.valid(data, region, memory)) return content_.ready(data, region, memory);
  bring_to_host(data, region, memory, for_task);
  return content_.make_valid(
      data, region, memory,
      [&](std::span<const memory_id> holders, std::uint64_t bytes) {
        return nearest(data, holders, memory, bytes);
      },
      [&](const copy_request& wanted) { return copy(wanted, for_task); });
}

memory_id transfer_planner::nearest(data_id data, std::span<const memory_id> holders, memory_id to,
                                    std::uint64_t bytes) const {
  memory_id best = holders.front();
  nanoseconds best_time = nanoseconds::max();
  for (const memory_id from : holders) {
    if (!is_linked(data, from, to)) continue;
    const machine::link& link = *machine_.link_between(from, to);
    const nanoseconds time =
        commands_.load(link.stream).backlog + costs_.copies().predict(from, to, bytes);
    if (time < best_time) {
      best = from;
      best_time = time;
    }
  }
  return best;
}

point transfer_planner::copy(const copy_request& wanted, task_id for_task) {
  const machine::link& link = *machine_.link_between(wanted.from, wanted.to);
  const tracked_buffer& d = *buffers_.find(wanted.data);
  if (wanted.to == host_memory) guard_.writes(d, wanted.region, 0);
  timepoint_set after = wanted.after;
  after.prune([&](point t) { return t.stream == link.stream || commands_.done(t); });
  const point number = commands_.next(link.stream);
  command_record& record = commands_.plan<issue_copy>(
      number, costs_.copies().predict(wanted.from, wanted.to, wanted.bytes), std::move(after),
      *out_, content_.block(wanted.data, wanted.from), content_.block(wanted.data, wanted.to),
      d.all.end, d.element_size, wanted.region, wanted.bytes);
  record.task = for_task;
  record.launched = nullptr;
  record.copy = std::make_shared<copied_part>(
      copied_part{wanted.data, wanted.region, wanted.from, wanted.to, wanted.bytes});
  record.wanted = now_;
  return number;
}

}  // namespace hocket::placement
