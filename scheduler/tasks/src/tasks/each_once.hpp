// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <boost/container/flat_set.hpp>

namespace hocket::detail {

/// Calls visit(element) for the first element of each key. Lists of a few elements, which most are,
/// need no set.
template <class List, class Key, class Visit>
void for_each_once(const List& list, const Key& key, const Visit& visit) {
  constexpr std::size_t few = 16;
  if (list.size() <= few) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::size_t first = 0;
      while (key(list[first]) != key(list[i])) ++first;
      if (first == i) visit(list[i]);
    }
    return;
  }
  boost::container::flat_set<std::remove_cvref_t<decltype(key(list[0]))>> seen;
  for (const auto& element : list) {
    if (seen.insert(key(element)).second) visit(element);
  }
}

}  // namespace hocket::detail
