// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <cassert>

#include <hocket/memory/band.hpp>

namespace hocket {

namespace {

/// The band that has indices from begin to end of dimension d, and in those further out the one
/// index of the region.
box band_of(const box& region, const index_list& extents, std::size_t d, std::size_t begin,
            std::size_t end) {
  box band = box::whole(extents);
  for (std::size_t outer = 0; outer < d; ++outer) {
    band.begin[outer] = region.begin[outer];
    band.end[outer] = region.end[outer];
  }
  band.begin[d] = begin;
  band.end[d] = end;
  return band;
}

/// The outermost dimension of which the region has more than one index; the innermost if there is
/// none.
std::size_t first_divided(const box& region) {
  std::size_t d = 0;
  while (d + 1 < region.rank() && region.end[d] - region.begin[d] == 1) ++d;
  return d;
}

}  // namespace

box band_around(const box& region, const index_list& extents) {
  assert(!region.empty());
  if (region.rank() == 0) return region;
  const std::size_t d = first_divided(region);
  return band_of(region, extents, d, region.begin[d], region.end[d]);
}

box band_around(const box& region, const index_list& extents, std::size_t element_size,
                std::uint64_t bytes) {
  const index_list strides = dense_strides(extents);
  for (std::size_t d = 0; region.rank() > 0 && d <= first_divided(region); ++d) {
    const std::uint64_t most = bytes / (std::uint64_t{strides[d]} * element_size);
    if (most <= region.end[d] - region.begin[d]) continue;
    const std::size_t size = std::min<std::uint64_t>(most, extents[d]);
    const std::size_t begin = region.begin[d] / size * size;
    const std::size_t end = std::min(begin + size, extents[d]);
    // A region across two of them has a band that begins where it does.
    if (region.end[d] <= end) return band_of(region, extents, d, begin, end);
    return band_of(region, extents, d, region.begin[d],
                   std::min(region.begin[d] + size, extents[d]));
  }
  return band_around(region, extents);
}

box place_in(const box& band, const box& region) {
  box placed = region;
  for (std::size_t d = 0; d < band.rank(); ++d) {
    assert(region.begin[d] >= band.begin[d] && region.end[d] <= band.end[d]);
    placed.begin[d] -= band.begin[d];
    placed.end[d] -= band.begin[d];
  }
  return placed;
}

std::size_t elements_before(const box& band, const index_list& extents) {
  const index_list strides = dense_strides(extents);
  std::size_t before = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) before += band.begin[d] * strides[d];
  return before;
}

}  // namespace hocket
