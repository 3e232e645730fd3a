// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cstring>
#include <vector>

#include "subjects.hpp"

namespace hocket::bench {

contender memcpy_copy(const transfer& what) {
  return {"memcpy", [what] {
            const std::vector<char> from(what.bytes, 1);
            return [from, to = std::vector<char>(what.bytes), what]() mutable {
              return what.each(nanoseconds_of([&] {
                for (std::size_t i = 0; i < what.calls; ++i) {
                  std::memcpy(to.data(), from.data(), what.bytes);
                  // It has to be done, each time.
                  asm volatile("" : : "r"(to.data()) : "memory");
                }
              }));
            };
          }};
}

}  // namespace hocket::bench
