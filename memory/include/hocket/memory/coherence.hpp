// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/core/function_ref.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/shape.hpp>
#include <hocket/memory/content_state.hpp>
#include <hocket/memory/timepoint_set.hpp>

namespace hocket {

/// Bytes that have to move so that a region is valid in `to`. The issuer makes it a command that
/// waits for `after`.
struct copy_request {
  data_id data;
  memory_id from;
  memory_id to;
  box region;
  std::uint64_t bytes = 0;
  timepoint_set after;
};

/// A replica's storage that no replica refers to any more; it may be freed when `after` is done.
struct released_block {
  block_id block;
  memory_id memory;
  std::uint64_t bytes = 0;
  timepoint_set after;
};

/// What coherence knows of one buffer.
struct buffer_state;

/// Which memory holds which version of which part of every buffer, in the order in which tasks are
/// committed. It describes values in program order; timepoints say when the bytes are there. It
/// only decides: what must be copied or freed is returned as requests. Not thread-safe;
/// deterministic: everything iterates in id order.
///
/// A replica is one block of a memory with room for the whole buffer (dense, row-major), or for a
/// band of it. Validity is kept by pieces: disjoint boxes that partition the buffer, split when a
/// part is accessed and merged when a write covers them.
///
/// Reading commits as make_valid, issue, note_read; writing as before_write, issue, note_write;
/// updating as make_valid and before_write, issue, note_write. Between the first step and the last
/// nothing else may happen to the region.
///
/// A timepoint is done when its command and all that its command had to wait for have ended. That
/// holds for a command that failed and for the commands of a lost device too: a block is freed, and
/// written again, on the word of the last command that touched it.
///
/// A copy of this object is a snapshot: what happens to one does not show in the other.
class coherence {
 public:
  using issue_copy = function_ref<point(const copy_request&)>;
  /// Chooses one of the memories that hold the piece; the candidates are in id order.
  using choose_source = function_ref<memory_id(std::span<const memory_id>, std::uint64_t bytes)>;

  explicit coherence(std::size_t memories);
  ~coherence();
  coherence(const coherence& other);
  coherence& operator=(const coherence& other);
  coherence(coherence&&) noexcept;
  coherence& operator=(coherence&&) noexcept;

  void add(data_id data, const index_list& extents, std::size_t element_size);

  /// Forgets the buffer; its blocks come back, in the order of memories.
  [[nodiscard]] std::vector<released_block> remove(data_id data);

  // Storage of replicas.
  [[nodiscard]] bool has_block(data_id data, memory_id memory) const;
  [[nodiscard]] block_id block(data_id data, memory_id memory) const;  ///< none if it has no block
  [[nodiscard]] std::uint64_t bytes(data_id data) const;               ///< of one whole replica
  /// Of the block that it has there. Precondition: has_block.
  [[nodiscard]] std::uint64_t bytes(data_id data, memory_id memory) const;
  /// The block has room for all of the buffer. Precondition: the replica has none.
  void set_block(data_id data, memory_id memory, block_id block);
  /// The block has room for this band of the buffer alone.
  void set_block(data_id data, memory_id memory, block_id block, const box& band);
  /// The band that the replica has room for; null if that is all of the buffer, or it has no block.
  [[nodiscard]] const box* band(data_id data, memory_id memory) const;
  /// True if the replica has a block, and that has room for the region.
  [[nodiscard]] bool has_room(data_id data, const box& region, memory_id memory) const;
  /// True if any replica is a band.
  [[nodiscard]] bool has_bands() const noexcept;
  [[nodiscard]] const index_list& extents(data_id data) const;

  /// Pinned replicas are no victims. Pins are counted. They end with the block: unpinning where no
  /// pin is left does nothing, so that a task can unpin what a lost memory took away.
  void pin(data_id data, memory_id memory);
  void unpin(data_id data, memory_id memory);
  [[nodiscard]] bool pinned(data_id data, memory_id memory) const;

  /// Calls visit(memory) for each memory where the buffer has a block that is not pinned, in id
  /// order.
  void for_unpinned(data_id data, function_ref<void(memory_id)> visit) const;

  /// True if some part of the buffer is valid in this memory and nowhere else.
  [[nodiscard]] bool sole_copy(data_id data, memory_id memory) const;

  /// Drops the replica. Precondition: has_block, not pinned, not sole_copy.
  [[nodiscard]] released_block evict(data_id data, memory_id memory);

  // Questions for placement; nothing changes.
  [[nodiscard]] bool valid(data_id data, const box& region, memory_id memory) const;
  /// Bytes that make_valid would copy.
  [[nodiscard]] std::uint64_t missing(data_id data, const box& region, memory_id memory) const;
  /// Calls look for each part of the region that make_valid would copy, with the memories that
  /// hold it, in id order.
  void for_missing(data_id data, const box& region, memory_id memory,
                   function_ref<void(const box&, std::span<const memory_id>)> look) const;
  /// This overload takes a buffer as find() gave it.
  static void for_missing(const buffer_state& buffer, const box& region, memory_id memory,
                          function_ref<void(const box&, std::span<const memory_id>)> look);
  /// The content state of the buffer: what committed tasks wrote, and what is poisoned.
  [[nodiscard]] const content_state& content_of(data_id data) const;
  /// When the content of the region is there in this memory (where it is valid).
  [[nodiscard]] timepoint_set ready(data_id data, const box& region, memory_id memory) const;
  /// The tasks that wrote the parts of the region last, or failed to, in id order, none repeated.
  [[nodiscard]] std::vector<task_id> writers(data_id data, const box& region) const;

  // Commit.
  /// Makes the region valid in memory by copies from memories that hold it, and returns what a
  /// reader there has to wait for. Neighbouring parts that have the same sources, ready at the same
  /// time, are one copy. Parts that are valid nowhere are left out: a reader asks content_of()
  /// first. issue must not call this object. Precondition: has_room.
  timepoint_set make_valid(data_id data, const box& region, memory_id memory, choose_source choose,
                           issue_copy issue);

  /// Makes valid in `to` what is valid in `from` alone, so that `from` can be evicted.
  /// Precondition: both have a block.
  void write_back(data_id data, memory_id from, memory_id to, issue_copy issue);

  /// The command `reader` reads the region in this memory (a kernel there, or a copy to somewhere
  /// that is no replica). The copies of make_valid and write_back are noted already.
  void note_read(data_id data, const box& region, memory_id memory, point reader);

  /// The timepoints that a command which overwrites the region in this memory has to wait for: that
  /// of the content, and those of readers in this memory. Readers in other memories are never
  /// waited for.
  [[nodiscard]] timepoint_set before_write(data_id data, const box& region, memory_id memory) const;

  /// The command `writer` of task replaces the region in this memory: the next version, valid here
  /// alone; a poison is healed. An invalid timepoint says that the content is there already.
  void note_write(data_id data, const box& region, memory_id memory, point writer, task_id task);

  // Most accesses are of a whole buffer whose content is there. These do in a few instructions what
  // the questions and the steps above do for any. Most take the buffer as find() gave it, which
  // stays what it is until remove().
  [[nodiscard]] buffer_state& find(data_id data);

  /// Of an access to all of the buffer: true if that is of one piece and has a block for all of it
  /// in memory, and, if it is read, is neither poisoned nor missing anything there.
  [[nodiscard]] static bool at_hand(buffer_state& buffer, memory_id memory, bool reads);

  /// The access of a launch to all of a buffer.
  struct whole_access {
    data_id data;
    memory_id memory;
    bool writes = false;
    point number;  ///< of the launch
    task_id task;
    std::uint32_t pins = 0;  ///< to be added to the replica
  };
  /// As note_write, or note_read for an access that does not write; at_hand() has been true, and
  /// nothing has happened to the buffer since but what other accesses of the same task do to it.
  /// What the launch waits for is added to waits. Returns the block of the replica.
  block_id note_at_hand(buffer_state& buffer, const whole_access& how, timepoint_set& waits);

  /// When the content is there in this memory, if all of it is of one piece and valid there.
  [[nodiscard]] static std::optional<point> ready(const buffer_state& buffer, memory_id memory);

  static void pin(buffer_state& buffer, memory_id memory);
  static void unpin(buffer_state& buffer, memory_id memory);

  // Failure.
  /// The versions that task wrote in the region never commit: they are poisoned, unless a later
  /// task has overwritten them already.
  void poison(data_id data, const box& region, task_id task, const failure& why);

  /// A task that was never issued would have written the region: its parts are poisoned, whatever
  /// they held.
  void poison_unissued(data_id data, const box& region, task_id task, const failure& why);

  /// The copy with this timepoint never filled the region in memory: what is still its content is
  /// not valid there. Parts that are then valid nowhere are poisoned with why. Called for each copy
  /// that failed, was read from a lost memory before it was done, or was itself read from such a
  /// one; and before prune hears that the timepoint is done.
  void fail_copy(data_id data, const box& region, memory_id memory, point copy, const failure& why);

  /// The memory is gone with all that is in it. Parts that were valid nowhere else are poisoned
  /// with why. The blocks that were there come back with no timepoints (there is nothing to free),
  /// in the order of data.
  std::vector<released_block> lose(memory_id memory, const failure& why);

  /// The memory had no room for the block: whatever commands were to put there never arrives. The
  /// replica and its pins are dropped; parts that were to be valid nowhere else are poisoned with
  /// why. The block comes back with the timepoints of the commands that refer to it, all of which
  /// fail. Precondition: has_block.
  [[nodiscard]] released_block drop_unallocated(data_id data, memory_id memory, const failure& why);

  /// Drops timepoints that are done and the names of writers that poison() will not be called for,
  /// and joins parts that no longer differ: what is kept of the parts of a buffer grows with the
  /// commands that are in flight, not with those that were. Looks at no more than a few pieces for
  /// each access since the last call, and goes on from there the next time.
  void prune(function_ref<bool(point)> done, function_ref<bool(task_id)> is_live);
  /// True if so many parts of buffers were used since the last call of prune() that it is time for
  /// the next one.
  [[nodiscard]] bool is_prune_due() const noexcept;

 private:
  /// Removes the replica, whatever it holds.
  released_block take_replica(data_id data, memory_id memory);

  struct content;
  std::unique_ptr<content> content_;
};

}  // namespace hocket
