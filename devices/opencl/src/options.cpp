// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "options.hpp"

#include <hocket/devices/configuration.hpp>

namespace hocket::opencl {

options parse(const std::string& configuration) {
  constexpr std::uint64_t max_parts = 4096;
  configuration_reader reader("opencl", configuration);
  options made;
  made.sub_devices = reader.number("sub-devices", 1, max_parts).value_or(made.sub_devices);
  made.memory = reader.bytes("memory");
  made.import = reader.flag("import").value_or(made.import);
  reader.finish();
  return made;
}

}  // namespace hocket::opencl
