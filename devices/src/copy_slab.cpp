// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/copy_slab.hpp>

#include <utility>

namespace hocket {

namespace {

/// The slab of the first indices in the outer dimensions, and how many of these there are.
std::pair<copy_slab, std::size_t> first_slab(const copy_command& what) {
  const box& region = what.region;
  copy_slab made;
  std::size_t outer = region.rank();
  std::size_t offset = 0, bytes = what.element_size, stride = what.element_size;
  // As long as all dimensions further in are whole, one makes the row longer.
  while (outer > 0 && bytes == stride) {
    const std::size_t d = --outer;
    bytes = stride * (region.end[d] - region.begin[d]);
    offset = stride * region.begin[d];
    stride *= what.extents[d];
  }
  made.origin[0] = offset;
  made.region[0] = bytes;
  made.row_pitch = made.slice_pitch = stride;
  for (std::size_t axis = 1; axis < made.region.size() && outer > 0; ++axis) {
    const std::size_t d = --outer;
    made.origin[axis] = region.begin[d];
    made.region[axis] = region.end[d] - region.begin[d];
    if (axis == 1) made.slice_pitch = stride * what.extents[d];
  }
  return {made, outer};
}

/// Slices of the whole array that lie before the one with this index in the outer dimensions.
std::size_t slices_before(const copy_command& what, std::size_t outer, const index_list& index) {
  std::size_t before = 0;
  for (std::size_t d = 0; d < outer; ++d) before = before * what.extents[d] + index[d];
  return outer == 0 ? 0 : before * what.extents[outer];
}

bool advance(const box& region, std::size_t outer, index_list& index) {
  for (std::size_t d = outer; d-- > 0;) {
    if (++index[d] < region.end[d]) return true;
    index[d] = region.begin[d];
  }
  return false;
}

}  // namespace

void for_each_slab(const copy_command& what, const std::function<bool(const copy_slab&)>& piece) {
  auto [slab, outer] = first_slab(what);
  const std::size_t first_slice = slab.origin[2];
  index_list index = what.region.begin;
  do {
    slab.origin[2] = first_slice + slices_before(what, outer, index);
    if (!piece(slab)) return;
  } while (advance(what.region, outer, index));
}

}  // namespace hocket
