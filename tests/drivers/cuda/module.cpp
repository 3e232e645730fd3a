// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <cstring>
#include <sstream>

#include "driver.hpp"

namespace standin {

namespace {

/// The address of a symbol that an initialiser names.
std::uint64_t address_in(const module_object& m, const module_text& text, const std::string& name) {
  if (const auto v = m.variables.find(name); v != m.variables.end()) return v->second.begin;
  std::size_t number = 0;
  for (const function_text& f : text.functions) {
    if (!f.defined) continue;
    if (f.name == name) return address_of_function(number);
    ++number;
  }
  throw failure(invalid_ptx, "an initialiser names " + name + ", which is not declared");
}

void initialise(const module_object& m, const module_text& text, const variable& v) {
  const extent& place = m.variables.at(v.name);
  std::memset(place.host, 0, place.bytes);
  std::size_t at = 0;
  for (const initial& one : v.content) {
    if (at + v.element > place.bytes) throw failure(invalid_ptx, v.name + " has too many elements");
    const std::uint64_t value =
        one.value + (one.symbol.empty() ? 0 : address_in(m, text, one.symbol));
    std::memcpy(place.host + at, &value, v.element);
    at += v.element;
  }
}

constexpr const char* elf =
    "\x7F"
    "ELF";
constexpr const char* mark = "hocket-stand-in";

/// The PTX in an image, which is PTX or machine code for the device.
const char* ptx_in(const device& on, const char* image) {
  if (std::strncmp(image, elf, std::strlen(elf)) != 0) return image;
  const char* const end = std::strchr(image, '\n');
  std::istringstream line(end == nullptr ? std::string() : std::string(image, end));
  std::string begin, says;
  unsigned capability = 0;
  int version = 0;
  if (!(line >> begin >> says >> capability >> version) || says != mark) {
    throw failure(invalid_image, "the machine code is none of the stand-in's");
  }
  if (capability / 10 != on.capability / 10 || capability > on.capability) {
    throw failure(no_binary_for_gpu, "the machine code is for sm_" + std::to_string(capability) +
                                         ", the device is sm_" + std::to_string(on.capability));
  }
  if (version / 1000 > read_settings().version / 1000) {
    throw failure(invalid_image, "the machine code is that of a newer driver");
  }
  return end + 1;
}

}  // namespace

std::string machine_code_of(const context& made_for, const std::string& ptx) {
  return std::string(elf) + " " + mark + " " + std::to_string(made_for.on.capability) + " " +
         std::to_string(read_settings().version) + "\n" + ptx;
}

module_text parse_for(const device& on, const char* ptx) {
  module_text text = parse_ptx(ptx);
  if (text.target == 0) throw failure(invalid_ptx, "PTX: the text has no .target");
  if (text.target > on.capability) {
    throw failure(no_binary_for_gpu, "the module is for sm_" + std::to_string(text.target) +
                                         ", the device is sm_" + std::to_string(on.capability));
  }
  return text;
}

std::shared_ptr<module_object> load_module(const std::shared_ptr<context>& into,
                                           const char* image) {
  const module_text text = parse_for(into->on, ptx_in(into->on, image));
  auto made = std::make_shared<module_object>();
  made->owner = into;
  symbol_table symbols;
  try {
    for (const variable& v : text.variables) {
      if (v.where != space::global && v.where != space::constant) continue;
      const std::size_t bytes = std::max<std::size_t>(v.bytes, 1);
      const std::uint64_t address = into->on.memory.allocate(bytes);
      if (address == 0) throw failure(out_of_memory, "no room for the variable " + v.name);
      made->variables[v.name] = *into->on.memory.find(address, bytes);
      symbols[v.name] = address;
    }
    for (const variable& v : text.variables) {
      if (made->variables.contains(v.name)) initialise(*made, text, v);
    }
    made->code = decode(text, symbols);
  } catch (const failure&) {
    unload(*made);
    throw;
  }
  return made;
}

void unload(module_object& m) {
  for (const auto& [name, place] : m.variables) m.owner->on.memory.free(place.begin);
  m.variables.clear();
}

}  // namespace standin
