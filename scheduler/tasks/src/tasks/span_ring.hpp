// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/execution/inbox.hpp>

namespace hocket::detail {

/// The last spans that one thread has pushed. It writes without waiting for any thread and without
/// allocating, but for the pieces that the ring is made of; others may read at any time. What is
/// overwritten while they read they leave out.
///
/// A span takes a unit of eight words, which is a cache line, and more where its name is long:
/// names are copied, so that no reader needs what a task has kept.
///
/// trace_ring, which the placement engine writes, is no such ring: the owner of the strand is its
/// writer and its reader, so that it takes records of ten words with plain stores, and has names
/// interned where tasks are submitted. Its records would take two units here, and host tasks there
/// a lock for each name.
template <class Atomics = real_atomics>
class span_ring {
 public:
  struct span {
    std::uint64_t number = 0;  ///< how many were pushed before
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::string name;
  };

  /// The capacity is in units, and is rounded up to a power of two: at most 2^63 of them.
  explicit span_ring(std::size_t capacity)
      : capacity_(std::bit_ceil(std::max<std::size_t>(capacity, 1))),
        pieces_((capacity_ + units_of_piece - 1) / units_of_piece) {}
  span_ring(const span_ring&) = delete;
  span_ring& operator=(const span_ring&) = delete;
  ~span_ring() {
    // Relaxed: no other thread knows of the ring any more.
    for (auto& each : pieces_) delete[] each.load(std::memory_order_relaxed);
  }

  /// One thread. Of a name the ring keeps 432 characters, or what fits into it. Without memory the
  /// span is counted only.
  void push(std::string_view name, std::int64_t begin, std::int64_t end) noexcept {
    name = name.substr(0, first_text + (max_units() - 1) * further_text);
    const std::size_t further = name.size() <= first_text
                                    ? 0
                                    : (name.size() - first_text + further_text - 1) / further_text;
    // Relaxed: only this thread writes it.
    const std::uint64_t at = written_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i <= further; ++i) {
      if (make_piece(at + i)) continue;
      ++pushed_;
      return;
    }
    // Relaxed: the release of each word below, which comes after it, pairs with the acquire in
    // read(): a thread that sees such a word sees this as well.
    begun_.store(at + further + 1, std::memory_order_relaxed);
    unit& head = unit_at(at);
    store(head, 1, static_cast<std::uint64_t>(begin));
    store(head, 2, static_cast<std::uint64_t>(end));
    store_text(head, 3, name.substr(0, first_text));
    store(head, 0, (pushed_ << length_bits) | (name.size() + 1));
    for (std::size_t i = 1; i <= further; ++i) {
      unit& more = unit_at(at + i);
      store(more, 0, 0);
      store_text(more, 1, name.substr(first_text + (i - 1) * further_text, further_text));
    }
    ++pushed_;
    // Release: pairs with the acquire in read().
    written_.store(at + further + 1, std::memory_order_release);
  }

  /// Any thread. The oldest first.
  [[nodiscard]] std::vector<span> read() const {
    const std::uint64_t end = written_.load(std::memory_order_acquire);
    const std::uint64_t first = oldest_before(end);
    std::vector<content> units(end - first);
    for (std::uint64_t i = first; i < end; ++i) {
      for (std::size_t w = 0; w < words; ++w) {
        units[i - first][w] = unit_at(i)[w].load(std::memory_order_acquire);
      }
    }
    // Relaxed: see push().
    const std::uint64_t whole = oldest_before(begun_.load(std::memory_order_relaxed));
    std::vector<span> spans;
    std::size_t missing = 0;  // of the last span's name
    for (std::uint64_t i = std::max(first, whole); i < end; ++i) {
      const content& from = units[i - first];
      if (from[0] != 0) {
        missing = add_head(spans, from);
      } else if (missing > 0) {
        const std::size_t here = std::min(missing, further_text);
        spans.back().name.append(reinterpret_cast<const char*>(&from[1]), here);
        missing -= here;
      }
      // Else the unit goes on with the name of a span that is gone.
    }
    return spans;
  }

 private:
  static constexpr std::size_t words = 8;
  using content = std::array<std::uint64_t, words>;
  static constexpr std::size_t units_of_piece = 256;
  static constexpr std::size_t units_of_name = 8;
  static constexpr std::size_t first_text = (words - 3) * sizeof(std::uint64_t);
  static constexpr std::size_t further_text = (words - 1) * sizeof(std::uint64_t);
  static constexpr std::size_t length_bits = 10;
  static_assert(first_text + (units_of_name - 1) * further_text + 1 < (1 << length_bits));

  using word = typename Atomics::template atomic<std::uint64_t>;
  using unit = std::array<word, words>;

  [[nodiscard]] std::size_t max_units() const noexcept {
    return std::min(capacity_, units_of_name);
  }
  [[nodiscard]] std::uint64_t oldest_before(std::uint64_t end) const noexcept {
    return end > capacity_ ? end - capacity_ : 0;
  }

  [[nodiscard]] unit& unit_at(std::uint64_t position) const noexcept {
    const std::size_t index = position & (capacity_ - 1);
    // Relaxed: the writer has made the piece, and readers come here after their acquire in read().
    return pieces_[index / units_of_piece].load(std::memory_order_relaxed)[index % units_of_piece];
  }

  [[nodiscard]] bool make_piece(std::uint64_t position) noexcept {
    auto& piece = pieces_[(position & (capacity_ - 1)) / units_of_piece];
    // Relaxed, both: see unit_at().
    if (piece.load(std::memory_order_relaxed) != nullptr) return true;
    unit* const made = new (std::nothrow) unit[std::min(capacity_, units_of_piece)]{};
    piece.store(made, std::memory_order_relaxed);
    return made != nullptr;
  }

  static void store(unit& where, std::size_t index, std::uint64_t value) noexcept {
    // Release: see push().
    where[index].store(value, std::memory_order_release);
  }
  static void store_text(unit& where, std::size_t from, std::string_view text) noexcept {
    for (std::size_t w = from; !text.empty(); ++w) {
      std::uint64_t value = 0;
      const std::size_t part = std::min(text.size(), sizeof(value));
      std::memcpy(&value, text.data(), part);
      store(where, w, value);
      text.remove_prefix(part);
    }
  }

  /// Returns how much of the name the units that follow have.
  static std::size_t add_head(std::vector<span>& spans, const content& from) {
    const std::size_t length = (from[0] & ((1U << length_bits) - 1)) - 1;
    const std::size_t here = std::min(length, first_text);
    spans.push_back({from[0] >> length_bits, static_cast<std::int64_t>(from[1]),
                     static_cast<std::int64_t>(from[2]),
                     std::string(reinterpret_cast<const char*>(&from[3]), here)});
    return length - here;
  }

  const std::size_t capacity_;
  mutable std::vector<typename Atomics::template atomic<unit*>> pieces_;
  std::uint64_t pushed_ = 0;  // the writer's own
  typename Atomics::template atomic<std::uint64_t> begun_{0};
  typename Atomics::template atomic<std::uint64_t> written_{0};
};

}  // namespace hocket::detail
