// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <cassert>

#include "coherence_content.hpp"

namespace hocket {

void coherence::poison(data_id data, const box& region, task_id task, const failure& why) {
  buffer_state& buffer = content_->change(data);
  std::vector<box> written;
  buffer.content.visit(region, [&](const box& part, const origin& o) {
    if (o.writer == task) written.push_back(part);
  });
  for (const box& part : written) {
    buffer.replica_states.change(part, [](replica_state& r) { r.make_stale(); });
    buffer.poison_if_nowhere(part, why);
  }
}

void coherence::poison_unissued(data_id data, const box& region, task_id task, const failure& why) {
  buffer_state& buffer = content_->change(data);
  buffer.replica_states.change(region, [](replica_state& r) { r.make_stale(); });
  buffer.content.poison(buffer.whole, region, task, why);
}

void coherence::fail_copy(data_id data, const box& region, memory_id memory, point copy,
                          const failure& why) {
  assert(copy.valid());
  buffer_state& buffer = content_->change(data);
  buffer.replica_states.change(region, [&](replica_state& r) {
    const copy_state* filled = r.find(memory);
    if (filled != nullptr && filled->valid && filled->ready == copy) r.at(memory).make_stale();
  });
  buffer.poison_if_nowhere(region, why);
}

released_block coherence::drop_unallocated(data_id data, memory_id memory, const failure& why) {
  assert(has_block(data, memory));
  released_block dropped = take_replica(data, memory);
  buffer_state& buffer = content_->change(data);
  buffer.poison_if_nowhere(buffer.whole, why);
  return dropped;
}

std::vector<released_block> coherence::lose(memory_id memory, const failure& why) {
  auto& with_block = content_->with_block[memory.value];
  std::vector<data_id> all(with_block.begin(), with_block.end());
  std::ranges::sort(all);
  std::vector<released_block> lost;
  for (const data_id data : all) {
    buffer_state& buffer = content_->change(data);
    replica* const gone = buffer.find(memory);
    lost.push_back(content_->take(buffer, *gone, {}));
    buffer.replicas.erase(buffer.replicas.begin() + (gone - buffer.replicas.data()));
    buffer.replica_states.change_all([&](replica_state& r) { r.drop(memory); });
    buffer.poison_if_nowhere(buffer.whole, why);
  }
  with_block.clear();
  return lost;
}

}  // namespace hocket
