// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/pci_address.hpp>

#include <array>
#include <cstdio>

namespace hocket {

std::string pci_address(const pci_place& at) {
  if ((at.domain | at.bus | at.device | at.function) == 0) return {};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x:%02x:%02x.%x", at.domain, at.bus, at.device,
                at.function);
  return text.data();
}

}  // namespace hocket
