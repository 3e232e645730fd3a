// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include <hocket/scheduler/detail/completion.hpp>

namespace hocket::detail {

/// Stands for the tasks that one recorded task becomes, one for each run.
class recorded_task final : public completion {
 public:
  [[nodiscard]] std::string_view not_waitable() const noexcept override;
  [[nodiscard]] place_in_recording recorded() const noexcept override { return place_; }

  /// Called instead of the destructor.
  static void operator delete(recorded_task* gone, std::destroying_delete_t) noexcept;

 private:
  friend class recorded_task_maker;
  struct block;
  static constexpr std::uint32_t tasks_of_block = 32;

  recorded_task(block& home, const task_label& label, place_in_recording place)
      : completion(nullptr, label), place_(place), home_(&home) {}

  place_in_recording place_;
  block* home_;
};

struct recorded_task::block {
  void give_back(std::uint32_t number) noexcept {
    // Release and acquire pair with one another: the deletion comes after all uses.
    if (used.fetch_sub(number, std::memory_order_acq_rel) == number) delete this;
  }

  std::atomic<std::uint32_t> used{tasks_of_block + 1};  ///< or not given yet; one is the maker's
  alignas(recorded_task) std::array<std::byte, tasks_of_block * sizeof(recorded_task)> places;
};

inline void recorded_task::operator delete(recorded_task* gone, std::destroying_delete_t) noexcept {
  block* const home = gone->home_;
  gone->~recorded_task();
  home->give_back(1);
}

/// Makes recorded tasks, many in one block of memory. A block goes when all its tasks have gone,
/// and so neither waits for the recording nor keeps it.
class recorded_task_maker {
 public:
  recorded_task_maker() = default;
  recorded_task_maker(const recorded_task_maker&) = delete;
  recorded_task_maker& operator=(const recorded_task_maker&) = delete;
  ~recorded_task_maker() { close_block(); }

  [[nodiscard]] completion_ptr make(const task_label& label, completion::place_in_recording where) {
    if (made_ == recorded_task::tasks_of_block) open_block();
    void* const place = &block_->places[made_++ * sizeof(recorded_task)];
    return ::new (place) recorded_task(*block_, label, where);
  }

 private:
  void open_block();
  void close_block() noexcept;

  recorded_task::block* block_ = nullptr;
  std::uint32_t made_ = recorded_task::tasks_of_block;  // in the block
};

}  // namespace hocket::detail
