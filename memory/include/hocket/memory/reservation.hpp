// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <hocket/core/ids.hpp>

namespace hocket {

/// So many bytes of one memory.
struct need {
  memory_id memory;
  std::uint64_t bytes = 0;
  friend bool operator==(const need&, const need&) = default;
};

/// Which task may use how much of which memory. It counts bytes and allocates nothing. A request is
/// granted as a whole or not at all, the highest priority first, then the oldest. While a request
/// waits, none after it gets bytes of any memory that it needs.
///
/// Nothing starves: each time a request submitted later is granted before one that waits for some
/// of the same memories, the priority of the one that waits rises, by 1, 2, 4, 8 and so on. Not
/// thread-safe; deterministic.
class reservation_ledger {
 public:
  /// The bytes of each memory, by number.
  explicit reservation_ledger(std::vector<std::uint64_t> capacities);

  /// The task asks for all of needs at once. A request that it has made already is replaced and
  /// keeps its age. Precondition: could_ever_fit(needs).
  void request(task_id task, std::int64_t priority, std::vector<need> needs);

  /// Forgets a request that was not granted; nothing happens if there is none.
  void withdraw(task_id task);

  /// Grants all that can be granted now, and says whom in that order. The bytes count as used from
  /// here on, and the request is gone.
  [[nodiscard]] std::vector<task_id> grant();

  /// At most what 64 bits hold.
  [[nodiscard]] std::uint64_t used(memory_id memory) const;
  [[nodiscard]] std::uint64_t capacity(memory_id memory) const;
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

  /// Uses bytes that no request asked for; the sum may exceed the capacity.
  void take(memory_id memory, std::uint64_t bytes);

  /// Bytes are free again, once a block was really freed or a grant turned out to need less.
  void give_back(memory_id memory, std::uint64_t bytes);

  /// What the first waiting request that needs this memory lacks there; 0 if none waits.
  [[nodiscard]] std::uint64_t shortage(memory_id memory) const;

  /// True if the needs fit the machine when nothing else is on it.
  [[nodiscard]] bool could_ever_fit(const std::vector<need>& needs) const;

 private:
  struct entry {
    task_id task;
    std::int64_t priority = 0;  // rises while it waits
    std::uint64_t age = 0;      // the smaller the older
    std::uint32_t overtaken = 0;
    std::vector<need> needs;  // one for each memory, in order, none of 0 bytes
  };
  struct account {
    std::uint64_t capacity = 0;
    std::uint64_t used = 0;   // modulo 2^64
    std::uint64_t wraps = 0;  // how often that wrapped: what is taken unasked has no limit

    [[nodiscard]] std::uint64_t total() const noexcept {
      return wraps == 0 ? used : std::numeric_limits<std::uint64_t>::max();
    }
  };

  void sort();
  [[nodiscard]] bool fits(const entry& e) const;
  void let_age(const entry& granted);

  std::vector<account> accounts_;
  std::vector<entry> waiting_;  // in the order in which they are granted
  std::uint64_t submitted_ = 0;
};

}  // namespace hocket
