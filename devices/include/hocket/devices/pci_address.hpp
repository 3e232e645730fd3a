// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>

namespace hocket {

/// Where the chip of a device is on the bus.
struct pci_place {
  std::uint32_t domain = 0, bus = 0, device = 0, function = 0;
};

/// The place as people write it, and as it can be sorted: "00000000:01:00.0". Empty if all is zero,
/// where no chip with a device is: drivers that do not know say that.
[[nodiscard]] std::string pci_address(const pci_place& at);

}  // namespace hocket
