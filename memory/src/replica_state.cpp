// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "replica_state.hpp"

namespace hocket {
namespace {

template <class Copies>
auto lower_bound(Copies& copies, memory_id memory) {
  return std::lower_bound(copies.begin(), copies.end(), memory,
                          [](const copy_state& c, memory_id m) { return c.memory < m; });
}

}  // namespace

const copy_state* replica_state::find_behind_first(memory_id memory) const {
  const auto found = lower_bound(copies_, memory);
  return found != copies_.end() && found->memory == memory ? &*found : nullptr;
}

copy_state& replica_state::make(memory_id memory) {
  copy_state fresh;
  fresh.memory = memory;
  return *copies_.insert(lower_bound(copies_, memory), std::move(fresh));
}

void replica_state::drop(memory_id memory) {
  const auto found = lower_bound(copies_, memory);
  if (found != copies_.end() && found->memory == memory) copies_.erase(found);
}

bool replica_state::valid_anywhere() const {
  return std::any_of(copies_.begin(), copies_.end(), [](const auto& c) { return c.valid; });
}

bool replica_state::sole(memory_id memory) const {
  return valid(memory) && std::none_of(copies_.begin(), copies_.end(), [&](const auto& c) {
           return c.valid && c.memory != memory;
         });
}

holder_list replica_state::holders() const {
  holder_list list;
  for (const auto& c : copies_) {
    if (c.valid) list.push_back({c.memory, c.ready});
  }
  return list;
}

void replica_state::make_stale() {
  for (auto& c : copies_) c.make_stale();
}

void replica_state::inherit(const replica_state& replaced) {
  for (const auto& c : replaced.copies_) c.add_touched_by(at(c.memory).users);
}

}  // namespace hocket
