// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/reservation.hpp>

#include <algorithm>
#include <cassert>
#include <limits>

#include <hocket/core/saturating.hpp>

namespace hocket {
namespace {

// One need for each memory, so that what is asked twice is counted twice.
std::vector<need> summed(std::vector<need> needs) {
  std::erase_if(needs, [](const need& n) { return n.bytes == 0; });
  std::stable_sort(needs.begin(), needs.end(),
                   [](const need& a, const need& b) { return a.memory < b.memory; });
  std::vector<need> sums;
  for (const need& n : needs) {
    if (sums.empty() || sums.back().memory != n.memory) {
      sums.push_back(n);
    } else {
      sums.back().bytes = saturating_add(sums.back().bytes, n.bytes);
    }
  }
  return sums;
}

bool share_a_memory(const std::vector<need>& a, const std::vector<need>& b) {
  return std::any_of(a.begin(), a.end(), [&](const need& x) {
    return std::any_of(b.begin(), b.end(), [&](const need& y) { return x.memory == y.memory; });
  });
}

std::int64_t raised(std::int64_t priority, std::uint32_t overtaken) {
  constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();
  if (overtaken >= 63) return top;
  const std::int64_t step = std::int64_t{1} << overtaken;
  return priority > top - step ? top : priority + step;
}

}  // namespace

reservation_ledger::reservation_ledger(std::vector<std::uint64_t> capacities) {
  for (const std::uint64_t bytes : capacities) accounts_.push_back({bytes, 0, 0});
}

void reservation_ledger::request(task_id task, std::int64_t priority, std::vector<need> needs) {
  assert(could_ever_fit(needs));
  const auto same = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const entry& e) { return e.task == task; });
  if (same != waiting_.end()) {
    same->priority = priority;
    same->needs = summed(std::move(needs));
    for (std::uint32_t n = 0; n < same->overtaken; ++n) {
      same->priority = raised(same->priority, n);
    }
  } else {
    waiting_.push_back({task, priority, submitted_++, 0, summed(std::move(needs))});
  }
  sort();
}

void reservation_ledger::withdraw(task_id task) {
  std::erase_if(waiting_, [&](const entry& e) { return e.task == task; });
}

std::vector<task_id> reservation_ledger::grant() {
  std::vector<task_id> granted;
  std::vector<bool> claimed(accounts_.size(), false);
  std::vector<entry> left;
  std::vector<entry> taken;
  for (entry& e : waiting_) {
    const bool free_way = std::none_of(e.needs.begin(), e.needs.end(),
                                       [&](const need& n) { return claimed[n.memory.value]; });
    if (free_way && fits(e)) {
      for (const need& n : e.needs) accounts_[n.memory.value].used += n.bytes;
      granted.push_back(e.task);
      taken.push_back(std::move(e));
    } else {
      for (const need& n : e.needs) claimed[n.memory.value] = true;
      left.push_back(std::move(e));
    }
  }
  waiting_ = std::move(left);
  for (const entry& e : taken) let_age(e);
  if (!taken.empty()) sort();
  return granted;
}

std::uint64_t reservation_ledger::used(memory_id memory) const {
  return accounts_[memory.value].total();
}

std::uint64_t reservation_ledger::capacity(memory_id memory) const {
  return accounts_[memory.value].capacity;
}

void reservation_ledger::take(memory_id memory, std::uint64_t bytes) {
  account& a = accounts_[memory.value];
  if (__builtin_add_overflow(a.used, bytes, &a.used)) ++a.wraps;
}

void reservation_ledger::give_back(memory_id memory, std::uint64_t bytes) {
  account& a = accounts_[memory.value];
  assert(bytes <= a.total());
  if (__builtin_sub_overflow(a.used, bytes, &a.used)) --a.wraps;
}

std::uint64_t reservation_ledger::shortage(memory_id memory) const {
  for (const entry& e : waiting_) {
    for (const need& n : e.needs) {
      if (n.memory != memory) continue;
      const account& a = accounts_[memory.value];
      const std::uint64_t wanted = saturating_add(a.total(), n.bytes);
      return wanted > a.capacity ? wanted - a.capacity : 0;
    }
  }
  return 0;
}

bool reservation_ledger::could_ever_fit(const std::vector<need>& needs) const {
  const std::vector<need> sums = summed(needs);
  return std::all_of(sums.begin(), sums.end(),
                     [&](const need& n) { return n.bytes <= accounts_[n.memory.value].capacity; });
}

void reservation_ledger::sort() {
  std::sort(waiting_.begin(), waiting_.end(), [](const entry& a, const entry& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.age < b.age;
  });
}

bool reservation_ledger::fits(const entry& e) const {
  return std::all_of(e.needs.begin(), e.needs.end(), [&](const need& n) {
    const account& a = accounts_[n.memory.value];
    return a.total() <= a.capacity && n.bytes <= a.capacity - a.total();
  });
}

void reservation_ledger::let_age(const entry& granted) {
  for (entry& e : waiting_) {
    if (e.age > granted.age || !share_a_memory(e.needs, granted.needs)) continue;
    e.priority = raised(e.priority, e.overtaken++);
  }
}

}  // namespace hocket
