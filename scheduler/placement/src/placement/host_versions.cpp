// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/host_versions.hpp"

#include <memory>
#include <utility>

namespace hocket::placement {

void host_versions::write(const tracked_buffer& buffer, const box& region, std::uint64_t position,
                          aside_reader read) {
  if (region.empty()) return;
  block_versions& versions = of(buffer);
  versions.visit(region, [&](const box& part, const block_version& v) {
    // The copy that the cut waits for is overwritten before it has come.
    if (v.is_on_the_way) is_cut_invalid_ = true;
    if (!v.is_root && !v.is_at_cut && !v.is_saved) return;
    // The task that writes it has not ended: the bytes are not there yet. A torn task has not
    // either, but what stands for it in the recovery has.
    if (v.position > 0 && !log_.is_complete(v.position) && !log_.at(v.position).torn) return;
    auto made = std::make_shared<kept_bytes>();
    made->part = part_of_array(buffer.type, buffer.all.end, part);
    const bool is_only_saved = !v.is_root && !v.is_at_cut;
    aside_.push_back({v.position, buffer.id, made, v.is_at_cut, is_only_saved});
    bytes_aside_ += made->size();
    read(made);
  });
  versions.replace(region, {position, log_.is_root(position)});
}

void host_versions::save(const tracked_buffer& buffer, const box& part, std::uint64_t position) {
  forget_aside([&](const part_aside& each) {
    return each.is_saved && each.data == buffer.id && contains(part, each.bytes->part->region());
  });
  of(buffer).replace(part, {position, log_.is_root(position), false, false, true});
}

void host_versions::forget_saved() {
  forget_aside([](const part_aside& each) { return each.is_saved; });
  for (auto& [data, versions] : in_blocks_) {
    versions.change_all([](block_version& v) { v.is_saved = false; });
  }
}

void host_versions::forget(data_id data, const box& region) {
  const auto versions = in_blocks_.find(data);
  if (versions != in_blocks_.end() && !region.empty()) versions->second.replace(region, {});
}

void host_versions::forget_written(const logged_task& t) {
  for (const logged_task::access& a : t.accesses) {
    const auto versions = in_blocks_.find(a.data);
    if (!writes_content(a.mode) || versions == in_blocks_.end()) continue;
    versions->second.change(a.region(), [&](block_version& v) {
      const bool is_logged = v.position != 0 && v.position >= log_.first();
      if (is_logged && log_.at(v.position).id == t.id) v = {};
    });
  }
}

void host_versions::forget(data_id data) {
  in_blocks_.erase(data);
  forget_aside([&](const part_aside& each) { return each.data == data; });
}

void host_versions::forget_torn() {
  const auto is_torn = [&](std::uint64_t position) {
    return position >= log_.first() && log_.at(position).torn;
  };
  forget_aside([&](const part_aside& each) { return is_torn(each.position); });
  for (auto& [data, versions] : in_blocks_) {
    versions.change_all([&](block_version& v) {
      if (is_torn(v.position)) v = {};
    });
  }
}

void host_versions::forget_aside(function_ref<bool(const part_aside&)> is_meant) {
  std::erase_if(aside_, [&](const part_aside& each) {
    const bool is_gone = is_meant(each);
    if (is_gone) bytes_aside_ -= each.bytes->size();
    return is_gone;
  });
}

host_versions::block_versions& host_versions::of(const tracked_buffer& buffer) {
  return in_blocks_.try_emplace(buffer.id, buffer.all, block_version{}).first->second;
}

void host_versions::has_at_cut(const tracked_buffer& buffer, const box& part) {
  of(buffer).change(part, [](block_version& v) { v.is_at_cut = true; });
}

void host_versions::comes_for_cut(const tracked_buffer& buffer, const box& part) {
  of(buffer).change(part, [](block_version& v) { v.is_on_the_way = true; });
}

bool host_versions::end_cut(std::uint64_t position) {
  for (auto& [data, versions] : in_blocks_) {
    versions.change_all([&](block_version& v) {
      if (!v.is_on_the_way && !v.is_at_cut) return;
      const bool is_known = v.position > 0 || v.is_on_the_way;
      if (!is_cut_invalid_ || !is_known) v.position = position;
      v = {v.position, v.is_root || !is_cut_invalid_};
    });
  }
  for (part_aside& each : aside_) {
    if (std::exchange(each.is_at_cut, false) && !is_cut_invalid_) each.position = position;
  }
  if (is_cut_invalid_) return false;
  forget_aside([&](const part_aside& each) { return each.position < position; });
  for (auto& [data, versions] : in_blocks_) {
    versions.change_all([&](block_version& v) {
      if (v.position < position) v = {};
    });
  }
  return true;
}

void host_versions::forget_at_cut(data_id data, const box& part) {
  const auto versions = in_blocks_.find(data);
  if (versions == in_blocks_.end()) return;
  versions->second.change(part, [&](block_version& v) {
    if (v.position < log_.first()) v = {};
  });
}

void host_versions::for_known(std::uint64_t cut, function_ref<const box&(data_id)> all_of,
                              visit_version visit) const {
  for (const part_aside& each : aside_) {
    // The position of a version that a copy has brought is not known, but it is that of the cut.
    const std::uint64_t position = each.position == 0 && each.is_at_cut ? cut : each.position;
    visit(position, each.data, each.bytes->part->region(), each.bytes);
  }
  for (const auto& [data, versions] : in_blocks_) {
    versions.visit(all_of(data), [&, data = data](const box& part, const block_version& v) {
      if (v.position == 0 && v.is_at_cut) visit(cut, data, part, nullptr);
      if (log_.is_complete(v.position)) visit(v.position, data, part, nullptr);
    });
  }
}

void host_versions::for_buffers(function_ref<void(data_id)> visit) const {
  for (const auto& [data, versions] : in_blocks_) visit(data);
  for (const part_aside& each : aside_) visit(each.data);
}

}  // namespace hocket::placement
