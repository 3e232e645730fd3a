// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace hocket {

/// First in, first out, in places that are used again and again: nothing is allocated unless more
/// values wait than before. A free place keeps what is left of a value that was moved from.
template <class T>
class ring {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// In order, the oldest first.
  [[nodiscard]] T& operator[](std::size_t i) noexcept {
    assert(i < size_);
    return places_[(first_ + i) & (places_.size() - 1)];
  }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return const_cast<ring&>(*this)[i];
  }
  [[nodiscard]] T& front() noexcept { return (*this)[0]; }
  [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
  [[nodiscard]] T& back() noexcept { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return (*this)[size_ - 1]; }

  struct cursor {
    const ring* of;
    std::size_t at;
    const T& operator*() const noexcept { return (*of)[at]; }
    cursor& operator++() noexcept {
      ++at;
      return *this;
    }
    friend bool operator==(const cursor&, const cursor&) = default;
  };
  [[nodiscard]] cursor begin() const noexcept { return {this, 0}; }
  [[nodiscard]] cursor end() const noexcept { return {this, size_}; }

  void push_back(T value) {
    if (size_ == places_.size()) grow();
    ++size_;
    back() = std::move(value);
  }

  /// One more behind the last, which holds what T{} or a value holds that was moved from.
  [[nodiscard]] T& add() {
    if (size_ == places_.size()) grow();
    ++size_;
    return back();
  }

  T take_front() {
    T value = std::move(front());
    first_ = (first_ + 1) & (places_.size() - 1);
    --size_;
    return value;
  }

  void drop_back() {
    back() = T{};
    --size_;
  }

  void clear() {
    for (; size_ > 0; --size_) back() = T{};
  }

  /// Only when it is empty: gives back what many values that once waited have left behind.
  void shrink() {
    assert(empty());
    constexpr std::size_t few = 4096;
    if (places_.size() <= few) return;
    places_ = {};
    first_ = 0;
  }

 private:
  void grow() {
    constexpr std::size_t least = 8;
    std::vector<T> larger(places_.empty() ? least : 2 * places_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    places_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> places_;  // a power of two of them
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace hocket
