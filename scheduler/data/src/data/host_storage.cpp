// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/host_storage.hpp"

#include <algorithm>
#include <chrono>

#include "data/in_place_history.hpp"
#include "tasks/caught.hpp"

namespace hocket::detail {

namespace {

/// How often the task that has waited longest looks whether memory can still become free.
constexpr nanoseconds between_looks = std::chrono::milliseconds(5);

}  // namespace

host_storage::host_storage(memory_resource& from, std::size_t alignment, std::string name,
                           std::uint64_t capacity, executor& where)
    : from_(from),
      alignment_(alignment),
      name_(std::move(name)),
      capacity_(capacity),
      where_(where) {}

void host_storage::obtain(in_place_history& data, std::string_view label) {
  std::uint64_t changes = 0;
  while (const failure why = try_obtain(data, changes)) {
    if (!wait_for_room(changes)) throw none_left(data, label, why);
  }
}

void host_storage::lend(in_place_history& data, lent_memory_ptr memory) {
  std::byte* const first = memory->address();
  data.argument_.base = first;
  // No other thread knows the buffer as yet: relaxed.
  data.address_.store(first, std::memory_order_relaxed);
  data.is_lent_ = true;
  const std::scoped_lock lock(guard_);
  lent_.emplace(&data, std::move(memory));
}

/// The failure is that of the memory.
failure host_storage::try_obtain(in_place_history& data, std::uint64_t& changes) {
  const std::scoped_lock lock(guard_);
  changes = changes_;
  const auto [at, is_new] = blocks_.try_emplace(&data);
  if (!is_new) return {};
  result<allocation> got = from_.allocate(data.bytes_, alignment_);
  if (!got) {
    blocks_.erase(at);
    return got.error();
  }
  at->second = got.value();
  used_ += data.bytes_;
  peak_ = std::max(peak_, used_);
  data.argument_.base = got.value().address();
  // Pairs with the acquire in in_place_history::address().
  data.address_.store(static_cast<std::byte*>(got.value().address()), std::memory_order_release);
  return {};
}

bool host_storage::wait_for_room(std::uint64_t changes) {
  for (;;) {
    const executor::gate* own = nullptr;
    const auto arm = [&](const std::shared_ptr<executor::gate>& gate) {
      own = gate.get();
      std::unique_lock lock(guard_);
      waiting_.push_back(gate);
      if (changes_ == changes) return;
      lock.unlock();
      gate->open();
    };
    (void)where_.wait(arm, where_.now() + between_looks);
    const std::scoped_lock lock(guard_);
    const bool first = !waiting_.empty() && waiting_.front().get() == own;
    std::erase_if(waiting_, [&](const auto& gate) { return gate.get() == own; });
    if (changes_ != changes) return true;
    if (first && !where_.others_work()) return false;
  }
}

void host_storage::something_changed() noexcept {
  std::deque<std::shared_ptr<executor::gate>> due;
  {
    const std::scoped_lock lock(guard_);
    ++changes_;
    due.swap(waiting_);
  }
  for (const auto& gate : due) gate->open();
}

void host_storage::give_back(in_place_history& data) noexcept {
  if (data.is_lent_) {
    lent_memory_ptr memory;  // which is given back without the lock
    {
      const std::scoped_lock lock(guard_);
      const auto at = lent_.find(&data);
      if (at == lent_.end()) return;
      memory = std::move(at->second);
      lent_.erase(at);
    }
    return memory->give_back();
  }
  {
    const std::scoped_lock lock(guard_);
    const auto at = blocks_.find(&data);
    if (at == blocks_.end()) return;
    from_.deallocate(at->second);
    used_ -= data.bytes_;
    blocks_.erase(at);
  }
  something_changed();
}

void host_storage::close() noexcept {
  std::unordered_map<in_place_history*, lent_memory_ptr> lent;
  {
    const std::scoped_lock lock(guard_);
    for (const auto& [data, block] : blocks_) from_.deallocate(block);
    blocks_.clear();
    lent.swap(lent_);
  }
  for (const auto& [data, memory] : lent) memory->give_back();
}

std::uint64_t host_storage::used() const {
  const std::scoped_lock lock(guard_);
  return used_;
}

std::uint64_t host_storage::peak() const {
  const std::scoped_lock lock(guard_);
  return peak_;
}

error host_storage::none_left(const in_place_history& data, std::string_view label,
                              const failure& why) const {
  const std::scoped_lock lock(guard_);
  // Otherwise the host has less than the device may use of it, and the memory has said so.
  const std::uint64_t needed = used_ + data.bytes_;
  if (needed <= capacity_) {
    return error(why.within("running " + in_a_sentence(task_name(label)) + " on " + name_));
  }
  return error(failure(failure_code::out_of_memory,
                       task_name(label) + " lacks " + std::to_string(needed - capacity_) +
                           " bytes in " + name_ + ", where " + std::to_string(used_) + " of " +
                           std::to_string(capacity_) + " are in use and none can be moved out."));
}

}  // namespace hocket::detail
