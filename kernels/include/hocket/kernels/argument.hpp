// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>

#include <hocket/core/dtype.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

/// A number passed to a kernel by value.
struct scalar_argument {
  element_type type = element_type::f32;
  alignas(8) std::byte bytes[8] = {};

  template <number_element T>
  [[nodiscard]] static scalar_argument of(T value) noexcept {
    scalar_argument made{element_type_of<T>};
    std::memcpy(made.bytes, &value, sizeof value);
    return made;
  }
  template <number_element T>
  [[nodiscard]] T as() const noexcept {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  friend bool operator==(const scalar_argument&, const scalar_argument&) = default;
};

/// A region of a buffer as a host body sees it: `base` is the region's first element, and indices
/// are relative to the region. Strides are in elements.
struct buffer_argument {
  void* base = nullptr;
  element_type type = element_type::f32;
  index_list extents;
  index_list strides;
};

/// Runs the pieces of a wide body on the lanes of its device. A serial body gets one that runs them
/// in the calling thread.
class lane_group {
 public:
  virtual ~lane_group() = default;
  [[nodiscard]] virtual std::size_t lanes() const noexcept = 0;

  /// Calls piece(begin, end) for consecutive ranges that cover [0, count), each a multiple of grain
  /// long except the last; returns when all have ended. The ranges depend on count and grain alone,
  /// never on the number of lanes, so that a body can give the same bits on every machine. An
  /// exception of a piece is rethrown here. A piece may wait for tasks, as the body may.
  virtual void for_ranges(std::size_t count, std::size_t grain,
                          const std::function<void(std::size_t, std::size_t)>& piece) = 0;
};

/// Everything a host body is given for one launch. Buffers and scalars are in signature order, each
/// counted on its own; the hidden result buffer of a kernel that returns a value comes last.
struct host_launch {
  std::span<const buffer_argument> buffers;
  std::span<const scalar_argument> scalars;
  lane_group& lanes;
};

}  // namespace hocket
