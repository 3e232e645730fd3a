// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/core/region_tree.hpp>

#include <cassert>
#include <limits>

namespace hocket {

namespace {

/// The index in (first, last) nearest to its middle that is a multiple of step away from `from`.
/// There is one.
std::size_t nearest_to_middle(std::size_t first, std::size_t last, std::size_t from,
                              std::size_t step) noexcept {
  const std::size_t middle = first + (last - first) / 2;
  std::size_t at = middle >= from ? from + (middle - from + step / 2) / step * step
                                  : from - (from - middle + step / 2) / step * step;
  if (at <= first) at += step;
  if (at >= last) at -= step;
  return at;
}

}  // namespace

region_cut cut_around(const box& leaf, const box& region) noexcept {
  assert(overlap(leaf, region) && !contains(region, leaf));
  for (std::size_t d = 0; d < leaf.rank(); ++d) {
    const std::size_t first = leaf.begin[d], last = leaf.end[d];
    const std::size_t begin = region.begin[d], end = region.end[d];
    if (begin <= first && end >= last) continue;
    if (begin < first) return {d, end};
    if (end > last) return {d, begin};
    return {d, nearest_to_middle(first, last, begin, end - begin)};
  }
  return {};
}

region_cut cut_evenly(const box& whole, std::span<const box* const> boxes) {
  region_cut best{};
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> begins;
  for (std::size_t d = 0; d < whole.rank(); ++d) {
    begins.clear();
    for (const box* const each : boxes) {
      if (each->begin[d] > whole.begin[d]) begins.push_back(each->begin[d]);
    }
    if (begins.empty()) continue;
    const auto middle = begins.begin() + static_cast<std::ptrdiff_t>(begins.size() / 2);
    std::nth_element(begins.begin(), middle, begins.end());
    // A box that ends where another one begins is not cut: neither side has all of them.
    const std::size_t at = *middle;
    std::size_t lower = 0, upper = 0;
    for (const box* const each : boxes) {
      if (each->begin[d] < at) ++lower;
      if (each->end[d] > at) ++upper;
    }
    const std::size_t through = lower + upper - boxes.size();
    // A cut through a box makes one more of it: it has to pay.
    const std::size_t cost = 4 * std::max(lower, upper) + through;
    if (cost >= least) continue;
    least = cost;
    best = {d, at};
  }
  return best;
}

}  // namespace hocket
