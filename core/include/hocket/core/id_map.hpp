// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace hocket {

/// A table from ids to values, made for finding them in a few instructions. Values stay where they
/// are until they are erased. It has no order. Pointer is what keeps a value.
template <class Id, class T, class Pointer = std::unique_ptr<T>>
class id_map {
 public:
  id_map() = default;
  id_map(const id_map& other)
      : places_(other.places_.size()), shift_(other.shift_), size_(other.size_) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const place& from = other.places_[i];
      if (from.value) places_[i] = {from.id, std::make_unique<T>(*from.value)};
    }
  }
  id_map& operator=(const id_map& other) {
    id_map copy(other);
    std::swap(places_, copy.places_);
    std::swap(shift_, copy.shift_);
    std::swap(size_, copy.size_);
    return *this;
  }
  id_map(id_map&&) = delete;
  ~id_map() = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Null if there is none.
  [[nodiscard]] T* find(Id id) noexcept {
    if (places_.empty()) return nullptr;
    return places_[place_of(id)].value.get();
  }
  [[nodiscard]] const T* find(Id id) const noexcept { return const_cast<id_map*>(this)->find(id); }

  /// Calls visit(id, value) for each, in no order. The table must not change meanwhile.
  template <class Visit>
  void each(const Visit& visit) {
    for (place& p : places_) {
      if (p.value) visit(p.id, *p.value);
    }
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (const place& p : places_) {
      if (p.value) visit(p.id, std::as_const(*p.value));
    }
  }

  /// Precondition: the id is valid and not in the table.
  T& insert(Id id, T value) { return insert(id, std::make_unique<T>(std::move(value))); }

  /// The same; the value stays where it is.
  T& insert(Id id, Pointer value) {
    assert(id.valid() && find(id) == nullptr);
    // At most half full, so that what is looked for is near.
    if (2 * (size_ + 1) > places_.size()) grow();
    place& free = places_[place_of(id)];
    free.id = id;
    free.value = std::move(value);
    ++size_;
    return *free.value;
  }

  /// Precondition: the id is in the table.
  void erase(Id id) { (void)extract(id); }

  /// Erases the id, not the value.
  Pointer extract(Id id) {
    std::size_t gap = place_of(id);
    assert(places_[gap].value != nullptr);
    Pointer value = std::move(places_[gap].value);
    places_[gap].id = {};
    --size_;
    // What was put behind because the gap was taken moves up to where it is found.
    for (std::size_t i = next(gap); places_[i].value != nullptr; i = next(i)) {
      const std::size_t wanted = place_of(places_[i].id);
      if (wanted != i) std::swap(places_[wanted], places_[i]);
    }
    return value;
  }

 private:
  struct place {
    Id id;
    Pointer value;
  };

  [[nodiscard]] std::size_t next(std::size_t i) const noexcept {
    return (i + 1) & (places_.size() - 1);
  }

  /// Where the id is, or the free place where it would be.
  [[nodiscard]] std::size_t place_of(Id id) const noexcept {
    // Multiples of the golden ratio: ids that were counted up are spread evenly.
    std::size_t i = static_cast<std::size_t>((id.value * 0x9E3779B97F4A7C15U) >> shift_);
    while (places_[i].id != id && places_[i].value != nullptr) i = next(i);
    return i;
  }

  void grow() {
    std::vector<place> before = std::exchange(places_, {});
    places_.resize(before.empty() ? 8 : 2 * before.size());
    shift_ = 64 - std::countr_zero(places_.size());
    for (place& p : before) {
      if (p.value) places_[place_of(p.id)] = std::move(p);
    }
  }

  std::vector<place> places_;  // a power of two of them
  int shift_ = 0;              // leaves as many bits as number them
  std::size_t size_ = 0;
};

}  // namespace hocket
