// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any bytes are an entry of the program cache or are damaged; an entry lies within its bytes, and
// what is written of a key and a program is read as they were.

#include "fuzz.hpp"
#include "program_entry.hpp"

namespace {

void read(std::string_view bytes) {
  const auto entry = hocket::parse_program_entry(bytes);
  if (!entry) return;
  fuzz::require(entry->key.size() + entry->program.size() < bytes.size(),
                "an entry lies within its bytes");
  fuzz::require(to_bytes(*entry) == bytes, "an entry that was read is written as it was");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::input_bytes in(data, size);
  read(in.rest());
  const std::size_t changed = in.byte();
  const std::uint8_t with = in.byte();
  const std::string_view key = in.part('\0');
  std::string bytes = hocket::to_bytes({key, in.rest()});
  const auto entry = hocket::parse_program_entry(bytes);
  fuzz::require(entry && entry->key == key && entry->program == in.rest(),
                "an entry that was written is read as it was");
  bytes[changed % bytes.size()] = static_cast<char>(with);
  read(bytes);
  bytes.resize(changed % bytes.size());
  fuzz::require(!hocket::parse_program_entry(bytes), "an entry that is cut off is damaged");
  return 0;
}
