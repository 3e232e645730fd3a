// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "options.hpp"

#include <cstdio>

#include <hocket/devices/configuration.hpp>

namespace hocket::vulkan {

namespace {

constexpr std::uint64_t max_devices = 1024;

void print(const std::string& message) {
  std::fprintf(stderr, "hocket: vulkan: %s\n", message.c_str());
}

}  // namespace

options parse_options(std::string_view configuration, vulkan_validation_listener listener) {
  configuration_reader reader("vulkan", configuration);
  options made;
  made.device = reader.number("device", 0, max_devices);
  made.memory_bytes = reader.bytes("memory");
  made.import = reader.flag("import").value_or(made.import);
  made.gpu_texts = reader.flag("gpu-texts").value_or(made.gpu_texts);
  made.staging = reader.flag("staging").value_or(made.staging);
  if (reader.flag("validation").value_or(false)) made.listener = print;
  if (listener) made.listener = std::move(listener);
  reader.finish();
  return made;
}

}  // namespace hocket::vulkan
