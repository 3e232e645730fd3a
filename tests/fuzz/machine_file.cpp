// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any text is a machine file or is refused, and the text that is written of a machine is that
// machine again.

#include <hocket/devices/sim.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](std::string_view text) {
    return fuzz::read_or_refuse("machine \"input\"",
                                [&] { return hocket::parse_machine(text, "input"); });
  };
  const auto machine = read(fuzz::text_of(data, size));
  if (!machine) return 0;
  const auto again = read(to_json(*machine, "a fuzz target"));
  fuzz::require(again == machine, "a machine that was written is read as it was");
  return 0;
}
