// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <vector>

#include <boost/container/flat_set.hpp>

#include <hocket/memory/coherence.hpp>
#include <hocket/memory/reservation.hpp>
#include <hocket/scheduler/detail/lent_memory.hpp>

#include "placement/action.hpp"
#include "placement/eviction_table.hpp"
#include "placement/machine.hpp"
#include "placement/placed_task.hpp"
#include "placement/tracked_buffer.hpp"
#include "placement/wanted_blocks.hpp"

namespace hocket::placement {

/// The blocks of the replicas: which memory has room for more, which blocks tasks have pinned, and
/// which are about to be free. Actions go to the list that begin() was given.
class replica_store {
 public:
  replica_store(const machine& machine, coherence& content, eviction_table& evictions);

  /// The actions of the current step go there.
  void begin(action_list& out) noexcept { out_ = &out; }

  /// Which task may use how many bytes of which memory.
  [[nodiscard]] reservation_ledger& ledger() noexcept { return ledger_; }
  [[nodiscard]] const reservation_ledger& ledger() const noexcept { return ledger_; }
  /// The most bytes of the memory that were in use at once.
  [[nodiscard]] std::uint64_t peak(memory_id memory) const { return peaks_[memory.value]; }

  /// The bytes of the blocks that the task needs in memory, and that are not there: one need, or
  /// none.
  [[nodiscard]] std::vector<need> needs_of(const request& r, memory_id memory) const;
  /// Allocates these blocks, whose bytes were granted. Precondition: none is in their way.
  void give_blocks(const request& r, memory_id memory);
  /// The buffers of the task whose block in memory has no room for what the task uses, or more than
  /// there is for it beside the others: they have to go first.
  [[nodiscard]] std::vector<data_id> in_the_way(const request& r, memory_id memory) const;
  /// True if in this memory there is, or has to be, less than all of a buffer of the task.
  [[nodiscard]] bool may_use_bands(const request& r, memory_id memory) const {
    if (memory == host_memory) return false;
    return r.bytes > ledger_.capacity(memory) || (content_.has_bands() && has_band(r, memory));
  }
  /// Takes the bytes and allocates a block for all of the buffer, if the replica has none.
  void take_block(data_id data, memory_id memory);
  /// The replica of the host is memory of the program: it takes no bytes of the host's memory, and
  /// stays as long as the buffer.
  void lend_block(data_id data, detail::lent_memory_ptr memory);

  /// Pins the replicas in memory of all buffers that the task uses, once each.
  void pin(placed_task& t, memory_id memory);
  /// Removes the pins of the task. Returns whether it had any.
  bool unpin(placed_task& t, memory_id memory);
  /// Forgets the pin of a replica that was dropped. Returns whether the task had one.
  static bool forget_pin(placed_task& t, data_id data);

  /// The bytes of a block will be free when the commands that use it have ended.
  void begin_release(const released_block& freed) {
    if (!lent_.contains(freed.block)) coming_[freed.memory.value] += freed.bytes;
  }
  /// These commands have ended.
  void end_release(block_id block, memory_id memory, std::uint64_t bytes);
  /// True if blocks of this memory will be free without further doing.
  [[nodiscard]] bool awaits_blocks(memory_id memory) const { return coming_[memory.value] != 0; }
  /// The bytes that the first waiting reservation lacks beside those that will be free.
  [[nodiscard]] std::uint64_t lacking(memory_id memory) const;

 private:
  /// Allocates a block for the replica, whose bytes were granted or taken. band: null for all.
  void give_block(data_id data, memory_id memory, const box* band);
  [[nodiscard]] bool has_band(const request& r, memory_id memory) const;
  [[nodiscard]] wanted_blocks blocks_of(const request& r, memory_id memory) const {
    return blocks_for({r.accesses.data(), r.accesses.size()}, memory, ledger_.capacity(memory),
                      content_);
  }

  coherence& content_;
  eviction_table& evictions_;
  reservation_ledger ledger_;
  std::vector<std::uint64_t> coming_;  ///< for each memory, bytes that are about to be free
  std::vector<std::uint64_t> peaks_;
  boost::container::flat_set<block_id> lent_;  ///< that are memory of the program
  std::uint64_t blocks_ = 0;                   ///< numbers of blocks that were given
  action_list* out_ = nullptr;
};

}  // namespace hocket::placement
