// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any bytes are no gzip, unpack to at most the limit, or are refused by the name of their file.

#include "files.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t limit = std::size_t{1} << 18U;
  const auto bytes = fuzz::read_or_refuse("The file \"input.gz\"", [&] {
    return train::unpacked("input.gz", {data, data + size}, limit);
  });
  if (bytes) fuzz::require(bytes->size() <= std::max(limit, size), "a limit is kept");
  return 0;
}
