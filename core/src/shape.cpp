// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/shape.hpp>

#include <algorithm>

#include <hocket/core/error.hpp>

namespace hocket {

std::size_t volume(const index_list& extents) {
  std::size_t product = 1;
  for (std::size_t extent : extents) {
    if (__builtin_mul_overflow(product, extent, &product)) {
      throw usage_error("A shape of " + to_string(extents) +
                        " has more elements than a size_t can count.");
    }
  }
  return product;
}

index_list dense_strides(const index_list& extents) {
  index_list strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * extents[d];
  return strides;
}

std::string to_string(const index_list& extents) {
  if (extents.empty()) return "scalar";
  std::string text;
  for (std::size_t extent : extents) {
    if (!text.empty()) text += " x ";
    text += std::to_string(extent);
  }
  return text;
}

box box::whole(const index_list& extents) { return {index_list(extents.size(), 0), extents}; }

bool box::empty() const noexcept {
  for (std::size_t d = 0; d < begin.size(); ++d) {
    if (begin[d] >= end[d]) return true;
  }
  return false;
}

index_list box::extents() const {
  index_list made(begin.size());
  for (std::size_t d = 0; d < begin.size(); ++d)
    made[d] = end[d] > begin[d] ? end[d] - begin[d] : 0;
  return made;
}

std::size_t box::elements() const { return volume(extents()); }

bool overlap(const box& a, const box& b) noexcept {
  if (a.empty() || b.empty()) return false;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (a.begin[d] >= b.end[d] || b.begin[d] >= a.end[d]) return false;
  }
  return true;
}

bool contains(const box& outer, const box& inner) noexcept {
  if (inner.empty()) return true;
  for (std::size_t d = 0; d < outer.rank(); ++d) {
    if (inner.begin[d] < outer.begin[d] || inner.end[d] > outer.end[d]) return false;
  }
  return true;
}

box intersection(const box& a, const box& b) {
  box both = a;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    both.begin[d] = std::max(a.begin[d], b.begin[d]);
    both.end[d] = std::max(both.begin[d], std::min(a.end[d], b.end[d]));
  }
  return both;
}

boost::container::small_vector<box, 4> difference(const box& a, const box& b) {
  boost::container::small_vector<box, 4> parts;
  if (a.empty()) return parts;
  if (!overlap(a, b)) {
    parts.push_back(a);
    return parts;
  }
  // Slabs before and after b in each dimension; what is left is narrowed to b's range in it.
  box rest = a;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    if (rest.begin[d] < b.begin[d]) {
      box before = rest;
      before.end[d] = b.begin[d];
      rest.begin[d] = b.begin[d];
      parts.push_back(std::move(before));
    }
    if (rest.end[d] > b.end[d]) {
      box after = rest;
      after.begin[d] = b.end[d];
      rest.end[d] = b.end[d];
      parts.push_back(std::move(after));
    }
  }
  return parts;
}

std::string to_string(const box& b) {
  std::string text = "[";
  for (std::size_t d = 0; d < b.rank(); ++d) {
    if (d > 0) text += ", ";
    text += std::to_string(b.begin[d]) + ":" + std::to_string(b.end[d]);
  }
  return text + "]";
}

}  // namespace hocket
