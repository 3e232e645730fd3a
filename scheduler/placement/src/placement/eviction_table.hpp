// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <vector>

#include <hocket/core/id_map.hpp>
#include <hocket/memory/coherence.hpp>
#include <hocket/memory/eviction.hpp>

#include "placement/machine.hpp"
#include "placement/task_table.hpp"
#include "placement/tracked_buffer.hpp"

namespace hocket::placement {

/// Which replicas of each memory may be evicted, in which order. Nothing is noted before a memory
/// has too little room for the first time. From then on what happens to a buffer only notes that;
/// its place in the orders is found at the next shortage, so that a replica that nothing happened
/// to is not looked at.
class eviction_table {
 public:
  using buffer_table = id_map<data_id, tracked_buffer>;

  eviction_table(std::size_t memories, buffer_table& buffers, const task_table& tasks,
                 const coherence& content)
      : buffers_(buffers), tasks_(tasks), content_(content), orders_(memories) {}

  /// The task was submitted.
  void add(placed_task& t) {
    if (is_used_) [[unlikely]]
      add_unissued(t);
  }
  /// The task was issued, or it has ended without that.
  void remove(placed_task& t) noexcept {
    if (is_used_) [[unlikely]]
      remove_unissued(t);
  }
  /// Something happened to the content or the replicas of the buffer.
  void touch(tracked_buffer& buffer) noexcept {
    ++buffer.changes;
    put_in_order_later(buffer);
  }
  /// Something happened to its pins or its users, and it is as valid as it was wherever it is.
  void put_in_order_later(tracked_buffer& buffer) noexcept {
    if (is_used_ && !buffer.touched.is_linked()) touched_.push_back(buffer);
  }
  void touch(data_id data) {
    if (tracked_buffer* const buffer = buffers_.find(data)) touch(*buffer);
  }
  /// Something happened to many.
  void touch_all();
  /// The buffer is dropped.
  void forget(const tracked_buffer& buffer);

  /// The replicas in memory to evict so that at least bytes become free. Those that nothing else
  /// holds stay in the memory of the host: they could be written back to nowhere. latest_issued:
  /// the largest age of a task that was issued.
  [[nodiscard]] std::vector<data_id> choose(memory_id memory, std::uint64_t bytes,
                                            std::uint64_t latest_issued);

 private:
  void begin();
  void add_unissued(placed_task& t);
  void remove_unissued(placed_task& t) noexcept;
  void order_again(tracked_buffer& buffer);

  buffer_table& buffers_;
  const task_table& tasks_;
  const coherence& content_;
  std::vector<eviction_order> orders_;  ///< for each memory
  touched_list touched_;
  bool is_used_ = false;  ///< some memory had too little room
};

}  // namespace hocket::placement
