// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace hocket {

/// A vector of at most 2^31 - 1 values, two words long, whose first values lie in memory that its
/// owner lends it: behind an object of which one knows how many values it will have when it is
/// allocated. Further ones make it move to the heap, which invalidates iterators. Copies, and
/// lists that are moved to, have memory of the heap: moving may throw, and a vector of what holds
/// such lists copies them when it grows.
template <class T>
class lent_list {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  lent_list() noexcept = default;
  template <std::forward_iterator Iterator>
  lent_list(Iterator first, Iterator last) : lent_list() {
    reserve(static_cast<std::size_t>(std::distance(first, last)));
    for (; first != last; ++first) emplace_back(*first);
  }
  lent_list(std::initializer_list<T> values) : lent_list(values.begin(), values.end()) {}
  lent_list(const lent_list& other) : lent_list(other.begin(), other.end()) {}
  /// The other is empty afterwards. Allocates memory if the other has its values in lent memory.
  lent_list(lent_list&& other) : lent_list() { take(other); }
  lent_list& operator=(const lent_list& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  lent_list& operator=(lent_list&& other) {
    if (this == &other) return *this;
    if (other.is_own()) {
      release();
      forget_room();
      take(other);
    } else {
      assign(std::move_iterator(other.begin()), std::move_iterator(other.end()));
      other.clear();
    }
    return *this;
  }
  ~lent_list() { release(); }

  /// Room for so many values, which outlives the list and has the alignment of T. Precondition: the
  /// list has had no value.
  void lend(void* room, std::size_t capacity) noexcept {
    assert(first_ == nullptr);
    first_ = static_cast<T*>(room);
    set_room(capacity, false);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return first_; }
  [[nodiscard]] const T* data() const noexcept { return first_; }
  [[nodiscard]] iterator begin() noexcept { return first_; }
  [[nodiscard]] iterator end() noexcept { return first_ + size_; }
  [[nodiscard]] const_iterator begin() const noexcept { return first_; }
  [[nodiscard]] const_iterator end() const noexcept { return first_ + size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept {
    assert(i < size_);
    return first_[i];
  }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    assert(i < size_);
    return first_[i];
  }
  [[nodiscard]] T& front() noexcept { return (*this)[0]; }
  [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
  [[nodiscard]] T& back() noexcept { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return (*this)[size_ - 1]; }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity()) [[unlikely]]
      return append(std::forward<Args>(args)...);
    T* const made = std::construct_at(first_ + size_, std::forward<Args>(args)...);
    ++size_;
    return *made;
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  void reserve(std::size_t capacity) {
    if (capacity > this->capacity()) move_to_heap(capacity);
  }
  void clear() noexcept {
    std::destroy_n(first_, size_);
    size_ = 0;
  }

  friend bool operator==(const lent_list& a, const lent_list& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  using memory = std::allocator<T>;

  [[nodiscard]] std::size_t capacity() const noexcept { return room_ / 2; }
  [[nodiscard]] bool is_own() const noexcept { return room_ % 2 != 0; }
  void set_room(std::size_t capacity, bool is_own) noexcept {
    assert(capacity < std::size_t{1} << 31U);
    room_ = static_cast<std::uint32_t>(2 * capacity + (is_own ? 1 : 0));
  }

  /// Precondition: this has no values and no memory.
  void take(lent_list& other) {
    if (other.is_own()) {
      first_ = std::exchange(other.first_, nullptr);
      size_ = std::exchange(other.size_, 0);
      room_ = other.room_;
      other.forget_room();
    } else {
      reserve(other.size());
      for (T& value : other) emplace_back(std::move(value));
      other.clear();
    }
  }
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    reserve(static_cast<std::size_t>(std::distance(first, last)));
    for (; first != last; ++first) emplace_back(*first);
  }
  void release() noexcept {
    std::destroy_n(first_, size_);
    if (is_own()) [[unlikely]]
      give_back(first_, capacity());
  }
  void forget_room() noexcept {
    first_ = nullptr;
    size_ = 0;
    room_ = 0;
  }

  // Not inlined: few lists outgrow what they are lent.
  [[gnu::noinline]] static void give_back(T* first, std::size_t capacity) noexcept {
    memory().deallocate(first, capacity);
  }
  [[gnu::noinline]] void move_to_heap(std::size_t capacity) {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    T* const moved = memory().allocate(capacity);
    std::uninitialized_move_n(first_, size_, moved);
    const std::uint32_t size = size_;
    release();
    first_ = moved;
    size_ = size;
    set_room(capacity, true);
  }
  template <class... Args>
  [[gnu::noinline]] T& append(Args&&... args) {
    T value(std::forward<Args>(args)...);  // of what may lie in this list
    move_to_heap(std::max<std::size_t>(2 * size_, 1));
    return emplace_back(std::move(value));
  }

  T* first_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = 0;  ///< twice the capacity; plus one if the memory is of the heap
};

}  // namespace hocket
