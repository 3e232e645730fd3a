// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any text is a file of costs or is none, also behind a digest that is right; costs that were read
// are sound, and are the same when they are written and read again.

#include <boost/uuid/uuid_io.hpp>

#include "cost_text.hpp"
#include "fuzz.hpp"
#include "private_files.hpp"

namespace {

void read(std::string_view text) {
  const auto costs = hocket::parse_costs(text);
  if (!costs) return;
  const auto sound = [](const auto& each) { return hocket::is_sound(each); };
  fuzz::require(std::ranges::all_of(costs->launches, sound), "launches take sound amounts");
  fuzz::require(std::ranges::all_of(costs->copies, sound), "copies take sound amounts");
  fuzz::require(hocket::parse_costs(to_text(*costs)) == costs,
                "costs that were written are read as they were");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  read(text);
  read("hocket costs 2 " + to_string(hocket::digest_of(text)) + "\n" + std::string(text));
  return 0;
}
