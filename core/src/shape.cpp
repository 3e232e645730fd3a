// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/shape.hpp>

#include <algorithm>

#include <hocket/core/error.hpp>

namespace hocket {

void detail::throw_uncountable(const index_list& extents) {
  throw usage_error("A shape of " + to_string(extents) +
                    " has more elements than a size_t can count.");
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

box intersection(const box& a, const box& b) {
  box both = a;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    both.begin[d] = std::max(a.begin[d], b.begin[d]);
    both.end[d] = std::max(both.begin[d], std::min(a.end[d], b.end[d]));
  }
  return both;
}

box bounding_box(const box& a, const box& b) {
  box both = a;
  for (std::size_t d = 0; d < a.rank(); ++d) {
    both.begin[d] = std::min(a.begin[d], b.begin[d]);
    both.end[d] = std::max(a.end[d], b.end[d]);
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
