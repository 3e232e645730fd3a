// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any two files are images with their labels in the IDX format, or one of them is refused by name;
// there is a label for each image and a pixel for each place.

#include <vector>

#include "fuzz.hpp"
#include "raw_digits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte says where the labels begin, counted from the end.
  const std::uint8_t* const end = data + size;
  const std::uint8_t* const labels = end - std::min<std::size_t>(*data, size - 1);
  const auto digits = fuzz::read_or_refuse("The file \"input-", [&] {
    return train::parse_idx({"input-images", {data + 1, labels}}, {"input-labels", {labels, end}});
  });
  if (!digits) return 0;
  fuzz::require(digits->labels.size() == digits->rows, "each image has a label");
  fuzz::require(digits->pixels.size() == digits->rows * digits->columns, "all pixels are there");
  fuzz::require(std::ranges::all_of(digits->labels, [](unsigned l) { return l < 10; }),
                "labels are digits");
  return 0;
}
