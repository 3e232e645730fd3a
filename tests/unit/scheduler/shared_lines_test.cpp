// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <utility>

#include <hocket/execution/steal_deque.hpp>
#include <hocket/scheduler/detail/task_count.hpp>

#include "worker_count.hpp"

namespace hocket {
namespace {

/// The cache lines that were written to.
std::set<std::uintptr_t>& written() {
  static std::set<std::uintptr_t> lines;
  return lines;
}

/// Atomics of one thread, which notes what it writes.
struct noting_atomics {
  template <class T>
  class atomic {
   public:
    atomic(T value = {}) : value_(value) {}  // NOLINT: as std::atomic
    [[nodiscard]] T load(std::memory_order = std::memory_order_seq_cst) const { return value_; }
    void store(T value, std::memory_order = std::memory_order_seq_cst) {
      note();
      value_ = value;
    }
    T fetch_add(T more, std::memory_order = std::memory_order_seq_cst) {
      note();
      return std::exchange(value_, value_ + more);
    }
    T fetch_sub(T less, std::memory_order = std::memory_order_seq_cst) {
      note();
      return std::exchange(value_, value_ - less);
    }
    bool compare_exchange_weak(T& seen, T wanted, std::memory_order, std::memory_order) {
      return compare_exchange_strong(seen, wanted, {}, {});
    }
    bool compare_exchange_strong(T& seen, T wanted, std::memory_order, std::memory_order) {
      note();
      if (value_ != seen) {
        seen = value_;
        return false;
      }
      value_ = wanted;
      return true;
    }

   private:
    void note() const { written().insert(reinterpret_cast<std::uintptr_t>(this) / 64); }
    T value_;
  };
  template <class T>
  using plain = T;
};

/// All that is written for a task which workers post, take and run: the deque of the poster, the
/// count of workers and that of tasks.
struct machinery {
  explicit machinery(std::size_t workers) : count(workers) {
    tasks.add_up({&records[0], &records[1]});
    // Bring all workers: each comes, finds something, and sends for the next.
    for (std::size_t i = 0; i < workers; ++i) {
      EXPECT_TRUE(count.wants_worker());
      EXPECT_TRUE(count.found());
    }
    for (std::uint32_t value = 0; value < 4; ++value) {
      EXPECT_TRUE(deque.make_room(64));
      deque.push(value);
    }
    written().clear();
  }

  void post(std::size_t worker) {
    tasks.start(&records[worker]);
    EXPECT_TRUE(deque.make_room(64));
    deque.push(7, std::memory_order_seq_cst);
    EXPECT_FALSE(count.wants_worker());
  }
  void end(std::size_t worker) { EXPECT_TRUE(tasks.try_end(&records[worker])); }
  [[nodiscard]] static std::set<std::uintptr_t> lines() { return std::exchange(written(), {}); }

  worker_count<noting_atomics> count;
  steal_deque<word_cell<std::uint32_t, noting_atomics>> deque;
  std::array<basic_worker_record<noting_atomics>, 2> records;
  detail::basic_task_count<noting_atomics> tasks;
};

TEST(shared_lines, a_task_that_its_poster_runs_writes_none_that_another_worker_writes) {
  machinery m(2);
  std::uint32_t value = 0;
  m.post(0);
  EXPECT_TRUE(m.deque.take(value));
  m.end(0);
  const std::set<std::uintptr_t> first = machinery::lines();
  m.tasks.start(&m.records[1]);
  m.end(1);
  for (const std::uintptr_t line : machinery::lines()) {
    EXPECT_EQ(first.count(line), 0U) << "two workers write to one line";
  }
  EXPECT_LE(first.size(), 3U) << "cells, bottom and counts, all of the worker's own";
  EXPECT_TRUE(m.deque.steal(value));
  for (const std::uintptr_t line : machinery::lines()) {
    EXPECT_EQ(first.count(line), 0U) << "a thief writes to a line of the owner";
  }
}

TEST(shared_lines, a_task_that_is_stolen_writes_one_of_them) {
  machinery m(2);
  m.post(0);
  std::set<std::uintptr_t> all = machinery::lines();
  std::uint32_t value = 0;
  EXPECT_TRUE(m.deque.steal(value));
  EXPECT_EQ(machinery::lines().size(), 1U) << "the top of the deque that it is stolen from";
  m.end(1);
  for (const std::uintptr_t line : machinery::lines()) {
    EXPECT_EQ(all.count(line), 0U) << "the counts of another worker";
  }
}

}  // namespace
}  // namespace hocket
