// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <hocket/core/array_part.hpp>

namespace hocket::placement {

/// Bytes of a part of a buffer that lie apart from its replicas, row after row. They are read when
/// the actions of a step are carried out, before what later actions start: until then, further
/// steps may count on them.
struct kept_bytes {
  array_part_ref part;
  std::vector<std::byte> bytes = {};
  bool was_read = false;
  bool lacks_memory = false;  ///< there was none for them

  /// How many bytes there are.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return part->elements() * size_of(part->type());
  }
  /// Reads the part of a whole replica that begins at that address of the host. Without memory for
  /// it, the bytes stay away.
  void read_from(const std::byte* replica) noexcept;
  /// Writes the region, which is all or some of the part, to a whole replica of that element type
  /// and those extents that begins there. Returns false, and writes nothing, where the bytes stayed
  /// away.
  [[nodiscard]] bool write_to(std::byte* replica, const box& region) const noexcept;
};
using kept_ref = std::shared_ptr<kept_bytes>;

}  // namespace hocket::placement
