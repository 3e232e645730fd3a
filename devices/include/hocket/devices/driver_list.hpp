// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hocket {

/// Fills a list that an API gives in two calls, of which the first gives its length: ask is called
/// with the length and a null pointer, then with that length and where to put so many elements. A
/// length that no driver can mean is cut. Returns the first code that is not `good`; the list is
/// empty then.
template <class Element, class Code, class Ask>
[[nodiscard]] Code driver_list(std::vector<Element>& list, Code good, Ask ask) {
  constexpr std::uint32_t most = 4096;
  std::uint32_t count = 0;
  Code code = ask(&count, static_cast<Element*>(nullptr));
  list.resize(code == good ? std::min(count, most) : 0);
  if (list.empty()) return code;
  const auto room = count = static_cast<std::uint32_t>(list.size());
  code = ask(&count, list.data());
  list.resize(code == good ? std::min(count, room) : 0);
  return code;
}

}  // namespace hocket
