// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cassert>
#include <functional>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <hocket/core/id_map.hpp>
#include <hocket/core/region_map.hpp>
#include <hocket/memory/coherence.hpp>
#include <hocket/memory/content_state.hpp>

#include "replica_state.hpp"

namespace hocket {

/// The storage of one replica.
struct replica {
  memory_id memory;
  block_id block;
  std::uint32_t pins = 0;
  bool is_band = false;  // its block has room for one of content::bands
};

/// Where to find what most accesses to a buffer ask for: as long as it is of one piece, written and
/// not poisoned, its copy in one memory where it is valid, and its block there. What happens to the
/// buffer otherwise ends that. A copy of a buffer has none.
struct shortcut {
  shortcut() = default;
  shortcut(const shortcut&) noexcept {}
  shortcut& operator=(const shortcut&) noexcept {
    memory = {};
    return *this;
  }
  ~shortcut() = default;

  memory_id memory;    // none: there is no such copy, or it was not looked for
  bool alone = false;  // nothing is known of other memories
  copy_state* copy = nullptr;
  replica* storage = nullptr;
  task_id* writer = nullptr;
};

/// How many pieces there are, of both maps of a buffer, where it is not divided.
inline constexpr std::size_t whole_pieces = 2;

/// All that is known of one buffer.
struct buffer_state {
  box whole;
  std::size_t element_size = 0;
  std::uint64_t bytes = 0;
  boost::container::small_vector<replica, 2> replicas;  // in the order of memories
  region_map<replica_state> replica_states;
  content_state content;  // apart from where it is, so that tiles of different tasks can be moved
                          // together
  shortcut whole_in;
  bool busy = false;  // listed in content::prunable

  [[nodiscard]] replica* find(memory_id memory) {
    for (replica& r : replicas) {
      if (r.memory == memory) return &r;
    }
    return nullptr;
  }
  [[nodiscard]] const replica* find(memory_id memory) const {
    return const_cast<buffer_state*>(this)->find(memory);
  }
  [[nodiscard]] timepoint_set ready(const box& region, memory_id memory) const;
  [[nodiscard]] timepoint_set touched_by(const box& region, memory_id memory) const;

  /// Drops timepoints that are done, and joins parts that no longer differ. Sets and returns
  /// `busy`.
  bool prune(function_ref<bool(point)> done, function_ref<bool(task_id)> is_live);

  std::size_t pieces_before = whole_pieces;  // after the last access

  /// How many pieces prune() looks at.
  [[nodiscard]] std::size_t pieces() const noexcept {
    return replica_states.size() + content.parts_count();
  }

  /// Parts that are valid nowhere are poisoned; an older failure stays.
  void poison_if_nowhere(const box& region, const failure& why);
};

struct coherence::content {
  id_map<data_id, buffer_state> buffers;
  // For each memory.
  std::vector<boost::unordered_flat_set<data_id, std::hash<data_id>>> with_block;
  boost::unordered_flat_map<block_id, box, std::hash<block_id>> bands;

  /// The buffers that prune() looks at. Each commit pays for a look at a few pieces, so that the
  /// cost of pruning does not depend on how many pieces are in use.
  struct {
    std::vector<data_id> busy;  // the buffers that may have timepoints, and some that are removed
    std::size_t next = 0;       // where in it to go on
    std::size_t credit = 0;     // pieces that may be looked at
    std::size_t parts = 0;      // accesses since the last look to buffers of several pieces
  } prunable;

  [[nodiscard]] const buffer_state& at(data_id data) const {
    const buffer_state* const found = buffers.find(data);
    assert(found != nullptr);
    return *found;
  }
  /// For a caller that changes it, other than through its shortcut.
  [[nodiscard]] buffer_state& change(data_id data) {
    auto& found = const_cast<buffer_state&>(at(data));
    found.whole_in.memory = {};
    return found;
  }
  /// The buffer, for a caller that changes it; null if the buffer was removed.
  [[nodiscard]] buffer_state* find_to_change(data_id data) {
    return buffers.find(data) != nullptr ? &change(data) : nullptr;
  }
  void touch(data_id data, buffer_state& buffer) {
    constexpr std::size_t looks_for_each = 2, looks_for_part = 16, looks_for_made = 2;
    const std::size_t now = buffer.pieces(), before = std::exchange(buffer.pieces_before, now);
    if (now == whole_pieces) {
      prunable.credit += looks_for_each;
    } else {
      // Every access to a part looks at the pieces in it, and one that cuts many makes many.
      prunable.credit += looks_for_part + (now > before ? looks_for_made * (now - before) : 0);
      ++prunable.parts;
    }
    if (buffer.busy) return;
    buffer.busy = true;
    prunable.busy.push_back(data);
  }

  [[nodiscard]] const box* band_of(const replica& r) const {
    return r.is_band ? &bands.find(r.block)->second : nullptr;
  }
  [[nodiscard]] std::uint64_t bytes_of(const buffer_state& buffer, const replica& r) const {
    const box* const band = band_of(r);
    return band == nullptr ? buffer.bytes : std::uint64_t{band->elements()} * buffer.element_size;
  }
  /// The replica goes; what its block had room for is forgotten.
  [[nodiscard]] released_block take(const buffer_state& buffer, const replica& r,
                                    timepoint_set after) {
    released_block released{r.block, r.memory, bytes_of(buffer, r), std::move(after)};
    if (r.is_band) bands.erase(r.block);
    return released;
  }

  /// Issues one copy of a part and enters it.
  void copy(data_id data, const box& part, memory_id from, memory_id to, issue_copy issue);
};

}  // namespace hocket
