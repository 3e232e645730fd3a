// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <boost/uuid/uuid_io.hpp>

#include <hocket/devices/cost_store.hpp>

#include "private_files.hpp"

namespace hocket {

namespace {

void add_number(std::string& to, std::size_t number) { to += std::to_string(number) + " "; }

/// With its length, so that two texts in a row are not taken for two others.
void add_text(std::string& to, const std::string& text) {
  add_number(to, text.size());
  to += text + "\n";
}

void add_source(std::string& to, const kernel_source& source) {
  add_number(to, static_cast<std::size_t>(source.format));
  for (const device_style style : source.styles) add_number(to, static_cast<std::size_t>(style));
  for (const std::string& name : source.names) add_text(to, name);
  add_text(to, source.functions);
  if (!source.structures.empty()) add_text(to, source.structures);
  for (const kernel_pass& pass : source.passes) {
    for (const std::size_t items : pass.local) add_number(to, items);
    for (const std::string& shared : pass.shared) add_text(to, shared);
    add_text(to, pass.text);
  }
}

void add_kernel(std::string& to, const kernel_definition& kernel) {
  add_text(to, kernel.name);
  for (const parameter& p : kernel.parameters) {
    for (const std::size_t part : {static_cast<std::size_t>(p.is), static_cast<std::size_t>(p.type),
                                   static_cast<std::size_t>(p.mode), p.rank}) {
      add_number(to, part);
    }
  }
  for (const kernel_source& source : kernel.sources) add_source(to, source);
  for (const kernel_part& part : kernel.sequence) add_kernel(to, *part.kernel);
}

}  // namespace

std::string identity_of(const device_info& device) {
  std::string made = device.backend + " " + device.name + ": " + device.description + "; lanes " +
                     std::to_string(device.lanes) + ", host cores " +
                     std::to_string(device.host_cores) + ", style " +
                     std::to_string(static_cast<int>(device.style)) + ", formats";
  for (const kernel_format format : device.formats) {
    made += " " + std::to_string(static_cast<int>(format));
  }
  const auto add_if = [&](bool holds, const char* what) {
    if (holds) made += std::string(", ") + what;
  };
  add_if(device.shares_host_memory, "shares host memory");
  add_if(device.imports_host_memory, "imports host memory");
  add_if(device.copies_on_host, "copies on host");
  add_if(device.peer_copies, "peer copies");
  return made;
}

std::string identity_of(const kernel_definition& kernel) {
  std::string all;
  add_kernel(all, kernel);
  return to_string(digest_of(all));
}

}  // namespace hocket
