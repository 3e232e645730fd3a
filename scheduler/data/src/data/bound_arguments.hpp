// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include <hocket/kernels/argument.hpp>

#include "data/in_place_history.hpp"

namespace hocket::detail {

/// Thrown before the function is called if there is no memory for a buffer.
struct no_room_for_buffer {
  failure why;
};

/// The buffers of a launch as its body sees them.
class bound_arguments {
 public:
  bound_arguments() noexcept : first_(reinterpret_cast<buffer_argument*>(near_)) {}
  bound_arguments(const bound_arguments&) = delete;
  bound_arguments& operator=(const bound_arguments&) = delete;
  ~bound_arguments() { std::destroy_n(first_, count_); }

  /// Adds the buffers of all uses of a task; there is room for one more. A buffer without memory
  /// gets it, for which it may wait; throws no_room_for_buffer. A Task has a label_text().
  template <class Task>
  void add(std::span<const in_place_use> uses, const Task& task) {
    if (uses.size() >= near) make_room(uses.size() + 1);
    for (const in_place_use& use : uses) {
      if (use.part != nullptr) {
        add_part(task, use);
        continue;
      }
      most_ = std::max(most_, use.data->elements());
      ::new (first_ + count_) buffer_argument(argument_of(use, task));
      ++count_;  // not before: it may throw
    }
  }
  void add(void* base, element_type type, const index_list& extents, const index_list& strides) {
    ::new (first_ + count_++) buffer_argument{base, type, extents, strides};
  }

  /// All of a buffer.
  template <class Task>
  [[nodiscard]] static const buffer_argument& argument_of(const in_place_use& use,
                                                          const Task& task) {
    in_place_history& order = *use.data->order();
    if (order.address() == nullptr && use.data->bytes() > 0) [[unlikely]]
      take_memory(order, task);
    return order.argument();
  }

  [[nodiscard]] std::span<const buffer_argument> all() const noexcept { return {first_, count_}; }
  /// Elements of the largest that the task uses.
  [[nodiscard]] std::size_t max_elements() const noexcept { return most_; }

 private:
  static constexpr std::size_t near = 4;
  struct alignas(buffer_argument) room {
    std::byte bytes[sizeof(buffer_argument)];
  };

  [[gnu::noinline]] void make_room(std::size_t most) {
    far_ = std::make_unique<room[]>(most);
    first_ = reinterpret_cast<buffer_argument*>(far_.get());
  }
  template <class Task>
  [[gnu::noinline]] void add_part(const Task& task, const in_place_use& use) {
    const buffer_state& data = *use.data;
    const index_list extents = use.part->extents();
    most_ = std::max(most_, volume(extents));
    if (use.part->empty()) return add(nullptr, data.type(), extents, data.strides());
    std::size_t first = 0;
    for (std::size_t d = 0; d < data.strides().size(); ++d) {
      first += use.part->begin[d] * data.strides()[d];
    }
    auto* const base = static_cast<std::byte*>(argument_of(use, task).base);
    add(base + first * size_of(data.type()), data.type(), extents, data.strides());
  }
  template <class Task>
  [[gnu::noinline, gnu::cold]] static void take_memory(in_place_history& order, const Task& task) {
    try {
      order.obtain(task.label_text());
    } catch (const hocket::error& none_left) {
      throw no_room_for_buffer{none_left.reason()};
    }
  }

  buffer_argument* first_;
  std::size_t count_ = 0;
  std::size_t most_ = 0;
  std::unique_ptr<room[]> far_;
  room near_[near];
};

}  // namespace hocket::detail
