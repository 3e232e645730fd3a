// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/fuse.hpp"

#include <algorithm>
#include <utility>

#include <hocket/kernels/fusion.hpp>

namespace hocket::detail {

namespace {

/// How many buffers a fused task has at most: with its block of numbers, what any device can bind.
constexpr std::size_t max_buffers = 7;

/// How many tasks become one at most: texts are compiled in time that grows with them.
constexpr std::size_t max_tasks_in_kernel = 16;

/// Whether some region is used by both, and none that only begins or ends elsewhere: then an
/// element depends on elements of its own index alone.
bool regions_meet(const candidate& a, const candidate& b) {
  const auto shared = [&](const access_argument* x) {
    return std::ranges::any_of(b.accesses,
                               [&](const access_argument* y) { return same_region(*x, *y); });
  };
  return regions_agree(a, b) && std::ranges::any_of(a.accesses, shared);
}

/// Whether nothing but the group can ever use the buffer: it has no handle any more, and no other
/// task has it.
bool owned_by(const candidate& group, const buffer_ref& data) {
  const auto uses = std::ranges::count_if(
      group.accesses, [&](const access_argument* use) { return use->data == data; });
  return std::cmp_equal(data->references(), uses);
}

bool is_local(const recorded_nodes& content, const candidate& group,
              const access_argument& region) {
  return owned_by(group, region.data) &&
         common_mode(content, group.members, region) == access_mode::write;
}

/// The region that stays a buffer although nothing else can use it, because that is so of all of
/// them: a launch has the extents of its buffers. Null if there are others.
const access_argument* kept_for_extents(const recorded_nodes& content, const candidate& group) {
  const auto local = [&](const access_argument* each) { return is_local(content, group, *each); };
  return std::ranges::all_of(group.accesses, local) ? group.accesses.front() : nullptr;
}

bool few_buffers(const recorded_nodes& content, const candidate& earlier, const candidate& next) {
  task_group members = earlier.members;
  members.insert(members.end(), next.members.begin(), next.members.end());
  const candidate both = joined(content, members);
  region_table table;
  for (const access_argument* use : both.accesses) table.add(*use);
  return std::ranges::count_if(table.regions(), [&](const access_argument* each) {
           return !is_local(content, both, *each);
         }) <= static_cast<std::ptrdiff_t>(max_buffers);
}

}  // namespace

fuse_rule::fuse_rule(const placement::machine& devices) {
  for (const auto& each : devices.devices) {
    formats_.insert(formats_.end(), each.formats.begin(), each.formats.end());
  }
}

bool fuse_rule::admits(const task_description& task) const { return can_be_fused(*task.kernel); }

bool fuse_rule::can_join(const recorded_nodes& content, const candidate& earlier,
                         const candidate& next) const {
  return may_share_buffers(earlier, next) &&
         earlier.members.size() + next.members.size() <= max_tasks_in_kernel &&
         earlier.accesses.front()->where.extents() == next.accesses.front()->where.extents() &&
         regions_meet(earlier, next) && few_buffers(content, earlier, next);
}

task_description fuse_rule::join(const recorded_nodes& content, const task_group& group) const {
  const candidate all = joined(content, group);
  const access_argument* const kept = kept_for_extents(content, all);
  composition one(content, group, [&](const access_argument& region) {
    return (kept == nullptr || !same_region(*kept, region)) && is_local(content, all, region);
  });
  one.task.kernel = fused(one.parts, one.values, formats_);
  return std::move(one.task);
}

}  // namespace hocket::detail
