// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <cassert>
#include <limits>

#include "coherence_content.hpp"

namespace hocket {

namespace {

/// A size that 64 bits cannot hold is more than any memory has.
std::uint64_t bytes_of(const index_list& extents, std::size_t element_size) {
  if (std::ranges::find(extents, std::size_t{0}) != extents.end()) return 0;
  std::uint64_t bytes = element_size;
  for (const std::size_t extent : extents) {
    if (__builtin_mul_overflow(bytes, std::uint64_t{extent}, &bytes)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return bytes;
}

}  // namespace

coherence::coherence(std::size_t memories) : content_(std::make_unique<content>()) {
  content_->with_block.resize(memories);
}
coherence::~coherence() = default;
coherence::coherence(const coherence& other)
    : content_(std::make_unique<content>(*other.content_)) {}
coherence& coherence::operator=(const coherence& other) {
  content_ = std::make_unique<content>(*other.content_);
  return *this;
}
coherence::coherence(coherence&&) noexcept = default;
coherence& coherence::operator=(coherence&&) noexcept = default;

void coherence::add(data_id data, const index_list& extents, std::size_t element_size) {
  const box whole = box::whole(extents);
  buffer_state buffer{.whole = whole,
                      .element_size = element_size,
                      .bytes = bytes_of(extents, element_size),
                      .replicas = {},
                      .replica_states = region_map<replica_state>(whole, {}),
                      .content = {},
                      .whole_in = {}};
  content_->buffers.insert(data, std::move(buffer));
}

std::vector<released_block> coherence::remove(data_id data) {
  std::vector<released_block> released;
  const buffer_state& buffer = content_->at(data);
  for (const replica& r : buffer.replicas) {
    released.push_back(content_->take(buffer, r, buffer.touched_by(buffer.whole, r.memory)));
    content_->with_block[r.memory.value].erase(data);
  }
  content_->buffers.erase(data);
  return released;
}

bool coherence::has_block(data_id data, memory_id memory) const {
  return content_->at(data).find(memory) != nullptr;
}

block_id coherence::block(data_id data, memory_id memory) const {
  const replica* found = content_->at(data).find(memory);
  return found != nullptr ? found->block : block_id{};
}

std::uint64_t coherence::bytes(data_id data) const { return content_->at(data).bytes; }

std::uint64_t coherence::bytes(data_id data, memory_id memory) const {
  const buffer_state& buffer = content_->at(data);
  return content_->bytes_of(buffer, *buffer.find(memory));
}

const index_list& coherence::extents(data_id data) const { return content_->at(data).whole.end; }

const box* coherence::band(data_id data, memory_id memory) const {
  const replica* const found = content_->at(data).find(memory);
  return found == nullptr ? nullptr : content_->band_of(*found);
}

bool coherence::has_room(data_id data, const box& region, memory_id memory) const {
  const replica* const found = content_->at(data).find(memory);
  if (found == nullptr) return false;
  const box* const band = content_->band_of(*found);
  return band == nullptr || contains(*band, region);
}

bool coherence::has_bands() const noexcept { return !content_->bands.empty(); }

void coherence::set_block(data_id data, memory_id memory, block_id block, const box& band) {
  set_block(data, memory, block);
  content_->change(data).find(memory)->is_band = true;
  content_->bands.emplace(block, band);
}

void coherence::set_block(data_id data, memory_id memory, block_id block) {
  auto& replicas = content_->change(data).replicas;
  const auto at = std::lower_bound(replicas.begin(), replicas.end(), memory,
                                   [](const replica& r, memory_id m) { return r.memory < m; });
  assert(at == replicas.end() || at->memory != memory);
  replicas.insert(at, {memory, block});
  content_->with_block[memory.value].insert(data);
}

buffer_state& coherence::find(data_id data) { return content_->change(data); }

void coherence::pin(data_id data, memory_id memory) { pin(content_->change(data), memory); }

void coherence::pin(buffer_state& buffer, memory_id memory) {
  replica* found = buffer.find(memory);
  assert(found != nullptr);
  ++found->pins;
}

void coherence::unpin(data_id data, memory_id memory) { unpin(content_->change(data), memory); }

void coherence::unpin(buffer_state& buffer, memory_id memory) {
  replica* const found =
      buffer.whole_in.memory == memory ? buffer.whole_in.storage : buffer.find(memory);
  if (found != nullptr && found->pins > 0) --found->pins;
}

bool coherence::pinned(data_id data, memory_id memory) const {
  const replica* found = content_->at(data).find(memory);
  return found != nullptr && found->pins > 0;
}

void coherence::for_unpinned(data_id data, function_ref<void(memory_id)> visit) const {
  for (const replica& r : content_->at(data).replicas) {
    if (r.pins == 0) visit(r.memory);
  }
}

bool coherence::sole_copy(data_id data, memory_id memory) const {
  return content_->at(data).replica_states.any([&](const auto& r) { return r.sole(memory); });
}

released_block coherence::evict(data_id data, memory_id memory) {
  assert(has_block(data, memory) && !pinned(data, memory) && !sole_copy(data, memory));
  return take_replica(data, memory);
}

released_block coherence::take_replica(data_id data, memory_id memory) {
  buffer_state& buffer = content_->change(data);
  replica* const gone = buffer.find(memory);
  released_block released = content_->take(buffer, *gone, buffer.touched_by(buffer.whole, memory));
  buffer.replica_states.change_all([&](replica_state& r) { r.drop(memory); });
  buffer.replicas.erase(buffer.replicas.begin() + (gone - buffer.replicas.data()));
  content_->with_block[memory.value].erase(data);
  return released;
}

bool coherence::valid(data_id data, const box& region, memory_id memory) const {
  return content_->at(data).replica_states.all(region,
                                               [&](const auto& r) { return r.valid(memory); });
}

std::uint64_t coherence::missing(data_id data, const box& region, memory_id memory) const {
  const buffer_state& buffer = content_->at(data);
  std::uint64_t elements = 0;
  buffer.replica_states.visit(region, [&](const box& part, const replica_state& r) {
    if (!r.valid(memory) && r.valid_anywhere()) elements += part.elements();
  });
  return elements * buffer.element_size;
}

const content_state& coherence::content_of(data_id data) const {
  return content_->at(data).content;
}

timepoint_set coherence::ready(data_id data, const box& region, memory_id memory) const {
  return content_->at(data).ready(region, memory);
}

std::optional<point> coherence::ready(const buffer_state& buffer, memory_id memory) {
  if (buffer.whole_in.memory == memory) return buffer.whole_in.copy->ready;
  const replica_state* const all = buffer.replica_states.only();
  const copy_state* const copy = all != nullptr ? all->find(memory) : nullptr;
  if (copy == nullptr || !copy->valid) return std::nullopt;
  return copy->ready;
}

std::vector<task_id> coherence::writers(data_id data, const box& region) const {
  std::vector<task_id> tasks;
  content_->at(data).content.visit(region, [&](const box&, const origin& o) {
    if (o.writer.valid()) tasks.push_back(o.writer);
  });
  std::sort(tasks.begin(), tasks.end());
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  return tasks;
}

bool buffer_state::prune(function_ref<bool(point)> done, function_ref<bool(task_id)> is_live) {
  busy = content.forget_writers(is_live);
  replica_states.change_all([&](replica_state& r) {
    if (r.prune(done)) busy = true;
  });
  replica_states.merge_equal();
  pieces_before = pieces();
  return busy;
}

bool coherence::is_prune_due() const noexcept {
  constexpr std::size_t parts_between_prunings = 64;
  return content_->prunable.parts >= parts_between_prunings;
}

void coherence::prune(function_ref<bool(point)> done, function_ref<bool(task_id)> is_live) {
  auto& [busy, next, credit, parts] = content_->prunable;
  parts = 0;
  for (std::size_t left = busy.size(); left > 0; --left) {
    if (next >= busy.size()) next = 0;
    buffer_state* const buffer = content_->find_to_change(busy[next]);
    const std::size_t cost = buffer != nullptr ? buffer->pieces() : 1;
    if (cost > credit) return;
    credit -= cost;
    if (buffer != nullptr && buffer->prune(done, is_live)) {
      ++next;
    } else {
      busy[next] = busy.back();
      busy.pop_back();
    }
  }
  credit = 0;
}

}  // namespace hocket
