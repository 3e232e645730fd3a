// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include <hocket/core/error.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/memory/resource.hpp>
#include <hocket/scheduler/detail/lent_memory.hpp>

namespace hocket::detail {

class in_place_history;

/// The memory of the buffers of one runtime, which they may outlive. A task that needs more than
/// there is waits until another buffer is gone; when nothing runs any more that could let one go,
/// the task that has waited longest is told that there is none.
class host_storage {
 public:
  host_storage(memory_resource& from, std::size_t alignment, std::string name,
               std::uint64_t capacity, executor& where);

  /// Gives the buffer its memory, unless it has some. label: of the task that needs it. Throws
  /// error.
  void obtain(in_place_history& data, std::string_view label);
  /// The buffer lies over memory of the program, which does not count.
  void lend(in_place_history& data, lent_memory_ptr memory);
  void give_back(in_place_history& data) noexcept;

  /// The runtime ends: all memory is given back, that of the program too, and no task may ask for
  /// any.
  void close() noexcept;

  [[nodiscard]] std::uint64_t peak() const;
  [[nodiscard]] std::uint64_t used() const;
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }

  /// Held by a run of a graph while it enters the histories of very many buffers, which it has
  /// reserved.
  [[nodiscard]] std::mutex& large_registration() noexcept { return large_registration_; }

 private:
  [[nodiscard]] failure try_obtain(in_place_history& data, std::uint64_t& changes);
  [[nodiscard]] bool wait_for_room(std::uint64_t changes);
  void something_changed() noexcept;
  [[nodiscard]] error none_left(const in_place_history& data, std::string_view label,
                                const failure& why) const;

  memory_resource& from_;
  const std::size_t alignment_;
  const std::string name_;
  const std::uint64_t capacity_;
  executor& where_;

  std::mutex large_registration_;

  mutable std::mutex guard_;  // for what follows
  std::unordered_map<in_place_history*, allocation> blocks_;
  std::unordered_map<in_place_history*, lent_memory_ptr> lent_;
  std::uint64_t used_ = 0;
  std::uint64_t peak_ = 0;
  std::uint64_t changes_ = 0;  ///< times that waiting tasks had a reason to look again
  std::deque<std::shared_ptr<executor::gate>> waiting_;  ///< first come first
};

}  // namespace hocket::detail
