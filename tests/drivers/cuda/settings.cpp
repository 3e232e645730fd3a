// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cstdlib>
#include <sstream>

#include "driver.hpp"
#include "names.hpp"

namespace standin {

namespace {

std::size_t number_of(const std::string& text) {
  char* end = nullptr;
  const std::size_t value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != 0) {
    throw failure(invalid_value,
                  names.settings + std::string(" has '") + text + "' where a number belongs");
  }
  return value;
}

void read_setting(settings& into, const std::string& name, const std::string& value) {
  if (name == "devices") {
    into.devices = static_cast<unsigned>(number_of(value));
  } else if (name == "memory") {
    into.memory = number_of(value) / 4096 * 4096;
  } else if (name == "capability") {
    into.capability = static_cast<unsigned>(number_of(value));
  } else if (name == "version") {
    into.version = static_cast<int>(number_of(value));
  } else {
    throw failure(invalid_value, names.settings + std::string(" has no setting '") + name +
                                     "'; there are devices, memory, capability and version");
  }
}

/// The numbers in the list up to the first one that is no device, as the vendor's driver reads it.
std::vector<unsigned> read_visible(const char* list, unsigned devices) {
  std::vector<unsigned> result;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    char* end = nullptr;
    const long number = std::strtol(part.c_str(), &end, 10);
    if (end == part.c_str() || number < 0 || number >= static_cast<long>(devices)) break;
    result.push_back(static_cast<unsigned>(number));
  }
  return result;
}

}  // namespace

settings read_settings() {
  settings result;
  result.devices = names.devices;
  if (const char* const text = std::getenv(names.settings)) {
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
      const std::size_t equals = part.find('=');
      if (equals == part.npos) {
        throw failure(invalid_value,
                      names.settings + std::string(" has '") + part + "' without a value");
      }
      read_setting(result, part.substr(0, equals), part.substr(equals + 1));
    }
  }
  if (const char* const list = std::getenv(names.visible)) {
    result.visible = read_visible(list, result.devices);
  } else {
    for (unsigned n = 0; n < result.devices; ++n) result.visible.push_back(n);
  }
  return result;
}

}  // namespace standin
