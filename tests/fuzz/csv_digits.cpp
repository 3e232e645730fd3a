// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any text is lines of 64 pixels and a label, or is refused by the name of its file; pixels and
// labels are in their ranges.

#include "fuzz.hpp"
#include "raw_digits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto digits = fuzz::read_or_refuse("The file \"input.csv\"", [&] {
    return train::parse_csv({"input.csv", {data, data + size}});
  });
  if (!digits) return 0;
  fuzz::require(digits->rows >= 2 && digits->labels.size() == digits->rows,
                "each line has a label");
  fuzz::require(digits->pixels.size() == digits->rows * digits->columns, "all pixels are there");
  fuzz::require(std::ranges::all_of(digits->pixels, [](unsigned p) { return p <= 16; }),
                "pixels are at most white");
  fuzz::require(std::ranges::all_of(digits->labels, [](unsigned l) { return l < 10; }),
                "labels are digits");
  return 0;
}
