// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

namespace hocket {

/// A vector of plain values that is nearly always short. Up to Inline of them need no allocation,
/// and copying, moving or comparing those is a few instructions without a loop. Growing makes
/// iterators invalid, and so does shrinking.
template <class T, std::size_t Inline>
class short_list {
  static_assert(std::is_trivially_copyable_v<T> && Inline > 0);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  short_list() noexcept = default;

  explicit short_list(std::size_t size, const T& value = T{}) : size_(size) {
    if (is_inline()) [[likely]] {
      for (std::size_t i = 0; i < Inline; ++i) words_.few[i] = i < size ? value : T{};
    } else {
      words_.many = allocated(size);
      std::fill_n(words_.many.first, size, value);
    }
  }

  template <std::forward_iterator Iterator>
  short_list(Iterator first, Iterator last)
      : size_(static_cast<std::size_t>(std::distance(first, last))) {
    if (is_inline()) [[likely]] {
      std::copy(first, last, words_.few.begin());
    } else {
      words_.many = allocated(size_);
      std::copy(first, last, words_.many.first);
    }
  }

  short_list(std::initializer_list<T> values) : short_list(values.begin(), values.end()) {}

  short_list(const short_list& other) : size_(other.size_), words_(other.words_) {
    if (!is_inline()) words_.many = copied(words_.many.first, size_);
  }
  /// The other is empty afterwards.
  short_list(short_list&& other) noexcept
      : size_(std::exchange(other.size_, 0)), words_(std::exchange(other.words_, words{})) {}

  short_list& operator=(const short_list& other) {
    if (is_inline() && other.is_inline()) [[likely]] {
      size_ = other.size_;
      words_ = other.words_;
      return *this;
    }
    return *this = short_list(other);
  }
  short_list& operator=(short_list&& other) noexcept {
    short_list taken(std::move(other));
    std::swap(size_, taken.size_);
    std::swap(words_, taken.words_);
    return *this;
  }

  ~short_list() {
    if (!is_inline()) deallocate(words_.many);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  [[nodiscard]] T* data() noexcept { return is_inline() ? words_.few.data() : words_.many.first; }
  [[nodiscard]] const T* data() const noexcept {
    return is_inline() ? words_.few.data() : words_.many.first;
  }
  [[nodiscard]] iterator begin() noexcept { return data(); }
  [[nodiscard]] iterator end() noexcept { return data() + size_; }
  [[nodiscard]] const_iterator begin() const noexcept { return data(); }
  [[nodiscard]] const_iterator end() const noexcept { return data() + size_; }

  [[nodiscard]] T& operator[](std::size_t i) noexcept {
    assert(i < size_);
    return data()[i];
  }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    assert(i < size_);
    return data()[i];
  }
  [[nodiscard]] T& back() noexcept { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return (*this)[size_ - 1]; }

  void push_back(T value) {
    if (size_ < Inline) [[likely]] {
      words_.few[size_++] = value;
    } else {
      append(value);
    }
  }

  /// Before the value at position i, or at the end.
  void insert(std::size_t i, T value) {
    assert(i <= size_);
    push_back(value);
    std::rotate(begin() + i, end() - 1, end());
  }

  /// Drops all but the first values. Precondition: there are so many.
  void shrink(std::size_t size) noexcept {
    assert(size <= size_);
    if (!is_inline()) {
      shrink_block(size);
      return;
    }
    for (std::size_t i = size; i < size_; ++i) words_.few[i] = T{};
    size_ = size;
  }
  void clear() noexcept { shrink(0); }

  friend bool operator==(const short_list& a, const short_list& b) noexcept {
    if (a.size_ != b.size_) return false;
    if (!a.is_inline()) return std::equal(a.begin(), a.end(), b.begin());
    // All places, without a branch for each: those beyond the size hold a T{}.
    bool same = true;
    for (std::size_t i = 0; i < Inline; ++i) {
      same = static_cast<bool>(static_cast<int>(same) &
                               static_cast<int>(a.words_.few[i] == b.words_.few[i]));
    }
    return same;
  }

  /// By the first value in which they differ; a list comes before what begins with it.
  friend std::strong_ordering operator<=>(const short_list& a, const short_list& b) noexcept {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  struct heap_block {
    T* first;
    std::size_t capacity;
  };
  // Which one it is follows from the size alone. A copy of the union copies either.
  union words {
    std::array<T, Inline> few{};  // T{} beyond the size
    heap_block many;
  };

  [[nodiscard]] bool is_inline() const noexcept { return size_ <= Inline; }

  // These take no list: the compiler reads one again after every call that has seen its address.
  [[nodiscard]] static heap_block allocated(std::size_t capacity) {
    return {new T[capacity], capacity};
  }
  [[nodiscard, gnu::noinline]] static heap_block copied(const T* first, std::size_t size) {
    const heap_block made = allocated(size);
    std::copy_n(first, size, made.first);
    return made;
  }
  [[gnu::noinline]] static void deallocate(heap_block block) noexcept { delete[] block.first; }

  [[gnu::noinline]] void append(T value) {
    if (is_inline() || size_ == words_.many.capacity) {
      const heap_block grown = allocated(2 * size_);
      std::copy_n(data(), size_, grown.first);
      if (!is_inline()) deallocate(words_.many);
      words_.many = grown;
    }
    words_.many.first[size_++] = value;
  }

  [[gnu::noinline]] void shrink_block(std::size_t size) noexcept {
    size_ = size;
    if (!is_inline()) return;
    const heap_block left = words_.many;
    words_ = words{};
    std::copy_n(left.first, size, words_.few.begin());
    deallocate(left);
  }

  std::size_t size_ = 0;
  words words_{};
};

}  // namespace hocket
