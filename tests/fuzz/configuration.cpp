// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any text is read by every function of a configuration_reader, or refused by a message that names
// the configuration; what is read is in the range that was asked for.

#include <hocket/devices/configuration.hpp>

#include "fuzz.hpp"

namespace {

constexpr std::uint64_t least = 1, most = 4096;

bool read_all(std::string_view text) {
  hocket::configuration_reader reader("example", text);
  const auto number = reader.number("number", least, most);
  const auto rate = reader.rate("rate");
  const auto duration = reader.duration("duration");
  fuzz::require(number.value_or(least) >= least && number.value_or(least) <= most, "a number fits");
  fuzz::require(rate.value_or(0) >= 0 && rate.value_or(0) <= 1e30, "a rate is finite");
  fuzz::require(duration.value_or(hocket::nanoseconds(0)) >= hocket::nanoseconds(0) &&
                    duration.value_or(hocket::nanoseconds(0)) <= std::chrono::hours(24),
                "a time is at most a day");
  (void)reader.bytes("bytes");
  (void)reader.flag("flag");
  (void)reader.text("text");
  reader.finish();
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)fuzz::read_or_refuse("configuration of example",
                             [&] { return read_all(fuzz::text_of(data, size)); });
  return 0;
}
