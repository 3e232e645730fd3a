// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "residence.hpp"

namespace hocket {
namespace {

template <class Copies>
auto lower_bound(Copies& copies, memory_id memory) {
  return std::lower_bound(copies.begin(), copies.end(), memory,
                          [](const copy_state& c, memory_id m) { return c.memory < m; });
}

}  // namespace

const copy_state* residence::find_behind_first(memory_id memory) const {
  const auto found = lower_bound(copies_, memory);
  return found != copies_.end() && found->memory == memory ? &*found : nullptr;
}

copy_state& residence::make(memory_id memory) {
  copy_state fresh;
  fresh.memory = memory;
  return *copies_.insert(lower_bound(copies_, memory), std::move(fresh));
}

void residence::drop(memory_id memory) {
  const auto found = lower_bound(copies_, memory);
  if (found != copies_.end() && found->memory == memory) copies_.erase(found);
}

bool residence::valid_anywhere() const {
  return std::any_of(copies_.begin(), copies_.end(), [](const auto& c) { return c.valid; });
}

bool residence::sole(memory_id memory) const {
  return valid(memory) && std::none_of(copies_.begin(), copies_.end(), [&](const auto& c) {
           return c.valid && c.memory != memory;
         });
}

holder_list residence::holders() const {
  holder_list list;
  for (const auto& c : copies_) {
    if (c.valid) list.push_back({c.memory, c.ready});
  }
  return list;
}

void residence::make_stale() {
  for (auto& c : copies_) c.make_stale();
}

void residence::inherit(const residence& replaced) {
  for (const auto& c : replaced.copies_) c.add_touched_by(at(c.memory).users);
}

}  // namespace hocket
