// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include <hocket/scheduler/detail/dependencies.hpp>

namespace hocket::detail {

/// The edges of a node as they are found: in the memory that it has for them while they fit.
class edge_list {
 public:
  explicit edge_list(std::span<host_edge> near) : first_(near.data()), room_(near.size()) {}
  edge_list(const edge_list&) = delete;
  edge_list& operator=(const edge_list&) = delete;

  template <class Source>
  void add(Source&& source, host_edge::kind kind) {
    if (count_ == room_) [[unlikely]]
      grow();
    host_edge& made = *::new (first_ + count_++) host_edge();
    made.waits_for = kind;
    made.source = std::forward<Source>(source);
  }

  /// Adds what a place is waited for, or makes an edge that there is to it the stronger of the two.
  template <class Source>
  void add_place(Source&& source, host_edge::kind kind) {
    if (count_ == 0) [[likely]] {
      add(std::forward<Source>(source), kind);
    } else {
      add_other_place(std::forward<Source>(source), kind);
    }
  }
  [[nodiscard]] std::span<host_edge> all() const noexcept { return {first_, count_}; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// The edge that there is, if there is no other, and where it was to be.
  [[nodiscard]] host_edge* sole() const noexcept {
    return count_ == 1 && !are_far_ ? first_ : nullptr;
  }
  /// They did not fit: their memory has to be given back by operator delete.
  [[nodiscard]] bool are_far() const noexcept { return are_far_; }

 private:
  [[gnu::noinline]] void add_other_place(task_state_ptr source, host_edge::kind kind) {
    // Of many, looking for one of them costs more than to wait for it twice.
    constexpr std::size_t many = 32;
    for (host_edge& known : std::span(first_, std::min(count_, many))) {
      if (known.source != source || known.waits_for == host_edge::kind::end) continue;
      if (kind != host_edge::kind::order) known.waits_for = kind;
      return;
    }
    add(std::move(source), kind);
  }

  [[gnu::noinline]] void grow() {
    const std::size_t wanted = std::max(std::size_t{8}, 2 * room_);
    auto* const bigger = static_cast<host_edge*>(::operator new(wanted * sizeof(host_edge)));
    for (std::size_t i = 0; i < count_; ++i) {
      ::new (bigger + i) host_edge(std::move(first_[i]));
      std::destroy_at(first_ + i);
    }
    if (are_far_) ::operator delete(first_);
    first_ = bigger;
    are_far_ = true;
    room_ = wanted;
  }

  host_edge* first_;
  std::size_t count_ = 0;
  std::size_t room_;
  bool are_far_ = false;
};

}  // namespace hocket::detail
