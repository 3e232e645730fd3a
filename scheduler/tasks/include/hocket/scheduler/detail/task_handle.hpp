// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

/// A state that stands for a recorded task.
[[nodiscard]] task_state_ptr state_of(const place_in_recording& place,
                                      const task_label& label = {});

class task_handle;

/// Throws usage_error, which says what is wrong with waiting for this, or continuing from it.
[[noreturn]] void refuse_use(const task_handle& what);

/// What a future holds: nothing, the state of a task, or only the place of a recorded one. That is
/// a number in the bits of the pointer, with the lowest one set, so that recording a task makes no
/// state, and it is not counted what knows of it.
class task_handle {
 public:
  task_handle() = default;
  task_handle(task_state_ptr task) noexcept : bits_(std::move(task)) {}  // NOLINT(*-explicit-*)
  explicit task_handle(const place_in_recording& place) noexcept
      : bits_(pointer_of(first_of(place.number) + 2 * std::uintptr_t{place.index}), false) {}
  task_handle(const task_handle& other) noexcept
      : bits_(other.is_place() ? task_state_ptr(other.bits_.get(), false) : other.bits_) {}
  task_handle(task_handle&&) noexcept = default;
  task_handle& operator=(task_handle other) noexcept {
    bits_.swap(other.bits_);
    return *this;
  }
  ~task_handle() {
    if (is_place()) (void)bits_.detach();
  }

  [[nodiscard]] explicit operator bool() const noexcept { return bits_ != nullptr; }

  [[nodiscard]] bool is_place() const noexcept { return (word() & 1U) != 0; }
  /// Where the task is recorded, if it is.
  [[nodiscard]] place_in_recording place() const noexcept {
    if (!is_place()) return bits_ ? bits_->recorded() : place_in_recording{};
    return {static_cast<std::uint32_t>(word() >> 32U), static_cast<std::uint32_t>(word()) >> 1U};
  }
  /// The index of the place if it is in the recording of this number, else something that is no
  /// index. What is no place has none.
  [[nodiscard]] std::uint64_t index_in(std::uint32_t number) const noexcept {
    return std::rotr(word() - first_of(number), 1);
  }
  /// The state, null for nothing; not of a place.
  [[nodiscard]] const task_state_ptr& task() const noexcept { return bits_; }

  /// The state, one that is made for a place, null for nothing.
  [[nodiscard]] task_state_ptr state() const { return is_place() ? state_of(place()) : bits_; }

 private:
  static_assert(sizeof(void*) == 8, "A place has 63 bits.");

  [[nodiscard]] static std::uintptr_t first_of(std::uint32_t number) noexcept {
    return std::uintptr_t{number} << 32U | 1U;
  }
  [[nodiscard]] static task_state* pointer_of(std::uintptr_t word) noexcept {
    return reinterpret_cast<task_state*>(word);  // NOLINT(performance-no-int-to-ptr)
  }
  [[nodiscard]] std::uintptr_t word() const noexcept {
    return reinterpret_cast<std::uintptr_t>(bits_.get());
  }

  task_state_ptr bits_;
};

}  // namespace hocket::detail
