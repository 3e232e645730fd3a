// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any text of an environment variable is a number, an amount of bytes or a time, or is refused by a
// message that names the variable; what is read is what its text says.

#include <hocket/core/environment.hpp>

#include "fuzz.hpp"

namespace {

constexpr const char* name = "HOCKET_EXAMPLE";

void read_numbers(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto number =
      fuzz::read_or_refuse(name, [&] { return hocket::parse_number(name, text, least, most); });
  if (number) {
    fuzz::require(*number >= least && *number <= most, "a number is within its limits");
    fuzz::require(hocket::parse_number(name, std::to_string(*number), least, most) == *number,
                  "a number that was written is read as it was");
  }
  const auto bytes = fuzz::read_or_refuse(name, [&] { return hocket::parse_bytes(name, text); });
  if (bytes) {
    fuzz::require(hocket::parse_bytes(name, std::to_string(*bytes)) == *bytes,
                  "an amount of bytes that was written is read as it was");
  }
  const auto time = fuzz::read_or_refuse(name, [&] { return hocket::parse_duration(name, text); });
  if (time) fuzz::require(*time > hocket::nanoseconds(0), "a time is more than zero");
}

void split_and_join(std::string_view text, char separator) {
  const std::vector<std::string> parts = hocket::split(text, separator);
  std::string joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    fuzz::require(parts[i].find(separator) == std::string::npos, "a part has no separator");
    if (i > 0) joined += separator;
    joined += parts[i];
  }
  fuzz::require(joined == text, "the parts are all of the text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::input_bytes in(data, size);
  const char separator = ",;.:"[in.below(4)];
  const std::uint64_t least = in.byte(), most = in.byte() == 0 ? UINT64_MAX : in.byte();
  read_numbers(in.rest(), least, most);
  split_and_join(in.rest(), separator);
  return 0;
}
