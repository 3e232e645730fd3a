// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

#include <boost/unordered/unordered_flat_map.hpp>

#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

/// The tasks of a runtime that have not ended, where they are to be listed on request: with a
/// watchdog or a limit, since it costs a lock and a look into a table at each begin and end.
class task_registry {
 public:
  void add(const task_state& task, time_stamp now) {
    shard& own = shard_of(task);
    const std::lock_guard lock(own.guard);
    own.since.insert_or_assign(&task, now);
  }
  void remove(const task_state& task) noexcept {
    shard& own = shard_of(task);
    const std::lock_guard lock(own.guard);
    own.since.erase(&task);
  }

  using tasks = boost::unordered_flat_map<const task_state*, time_stamp>;
  /// Calls look with all of them; none of them ends meanwhile.
  void look(const std::function<void(const tasks&)>& look) {
    tasks all;
    std::array<std::unique_lock<std::mutex>, shards> locks;
    for (std::size_t i = 0; i < shards; ++i) {
      locks[i] = std::unique_lock(shards_[i].guard);
      all.insert(shards_[i].since.begin(), shards_[i].since.end());
    }
    look(all);
  }

 private:
  static constexpr std::size_t shards = 16;
  struct alignas(64) shard {
    std::mutex guard;
    tasks since;
  };

  [[nodiscard]] shard& shard_of(const task_state& task) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(&task);
    return shards_[(address >> 6U) * 0x9e3779b97f4a7c15ULL >> 60U];
  }

  std::array<shard, shards> shards_;
};

}  // namespace hocket::detail
