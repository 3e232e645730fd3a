// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json.hpp>

#include "checks.hpp"
#include "output.hpp"

namespace tools {

namespace {

/// How the device comes by what is in the host's memory.
std::string_view host_memory_text(const hocket::device_info& of) {
  if (of.shares_host_memory) return "shared";
  return of.imports_host_memory ? "imported" : "copied";
}

boost::json::value to_json(const std::vector<hocket::device_info>& devices) {
  boost::json::array list;
  for (const hocket::device_info& each : devices) {
    const auto formats = format_names(each);
    boost::json::object made{{"name", each.name},
                             {"backend", each.backend},
                             {"description", each.description},
                             {"lanes", each.lanes},
                             {"memory_bytes", nullptr},
                             {"pci", nullptr},
                             {"formats", boost::json::array(formats.begin(), formats.end())},
                             {"host_memory", host_memory_text(each)}};
    if (each.memory_bytes != 0) made["memory_bytes"] = each.memory_bytes;
    if (!each.pci.empty()) made["pci"] = each.pci;
    list.push_back(std::move(made));
  }
  return boost::json::object{{"devices", std::move(list)}};
}

std::string to_table(const std::vector<hocket::device_info>& devices) {
  std::vector<std::vector<std::string>> rows{
      {"NAME", "BACKEND", "LANES", "MEMORY", "HOST MEMORY", "FORMATS", "DESCRIPTION"}};
  for (const hocket::device_info& each : devices) {
    rows.push_back({each.name, each.backend, std::to_string(each.lanes),
                    bytes_text(each.memory_bytes), std::string(host_memory_text(each)),
                    fmt::format("{}", fmt::join(format_names(each), ",")), each.description});
  }
  return table(rows);
}

}  // namespace

hocket::runtime_options options_for(const request& asked) {
  hocket::runtime_options options;
  options.devices = asked.devices;
  if (!asked.sim.empty()) options.backends = {{"sim", asked.sim}};
  return options;
}

void list_devices(const request& asked) {
  hocket::runtime rt(options_for(asked));
  const std::vector<hocket::device_info> devices = rt.devices();
  if (asked.json) {
    print(to_json(devices));
  } else {
    std::string text = to_table(devices);
    for (const std::string& twin : twins_beside(devices, options_for(asked))) text += twin + "\n";
    print(text);
  }
}

}  // namespace tools
