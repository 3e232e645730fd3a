// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cstring>

#include <hocket/streams/perform.hpp>

namespace hocket {

namespace {

/// A box in a dense array as pieces of consecutive bytes.
struct piece_list {
  std::size_t outer;   ///< the dimensions that count pieces; the others lie within one piece
  std::size_t bytes;   ///< of one piece
  std::size_t offset;  ///< of the first piece
  index_list strides;  ///< in bytes, of the outer dimensions
};

piece_list pieces_of(const copy_command& what) {
  piece_list made{what.region.rank(), what.element_size, 0, index_list(what.region.rank())};
  std::size_t stride = what.element_size;
  for (std::size_t d = what.region.rank(); d-- > 0;) {
    // As long as all dimensions further in are whole, this one makes the piece longer.
    if (made.outer == d + 1 && made.bytes == stride) {
      made.bytes = stride * (what.region.end[d] - what.region.begin[d]);
      made.outer = d;
    }
    made.strides[d] = stride;
    made.offset += what.region.begin[d] * stride;
    stride *= what.extents[d];
  }
  return made;
}

/// Counts index up by one in the outer dimensions and moves offset along; false after the last.
bool advance(const box& region, const piece_list& pieces, index_list& index, std::size_t& offset) {
  for (std::size_t d = pieces.outer; d-- > 0;) {
    offset += pieces.strides[d];
    if (++index[d] < region.end[d]) return true;
    offset -= (region.end[d] - region.begin[d]) * pieces.strides[d];
    index[d] = region.begin[d];
  }
  return false;
}

template <class Piece>
void walk(const copy_command& what, const Piece& piece) {
  if (what.region.empty()) return;
  const piece_list pieces = pieces_of(what);
  index_list index = what.region.begin;
  std::size_t offset = pieces.offset;
  do {
    piece(offset, pieces.bytes);
  } while (advance(what.region, pieces, index, offset));
}

}  // namespace

void copy_box(const copy_command& what) {
  const auto* from = static_cast<const std::byte*>(what.from.address());
  auto* to = static_cast<std::byte*>(what.to.address());
  walk(what, [&](std::size_t offset, std::size_t bytes) {
    std::memcpy(to + offset, from + offset, bytes);
  });
}

void for_each_piece(const copy_command& what,
                    const std::function<void(std::size_t, std::size_t)>& piece) {
  walk(what, piece);
}

}  // namespace hocket
