// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/errors.hpp"

namespace hocket::gpu {

failure failure_of(const api& driver, code of, const std::string& device,
                   const std::string& doing) {
  return driver_failure(driver.meaning_of(of), device, "fails " + doing, driver.name_of(of));
}

failure allocation_failure(const api& driver, code of, const std::string& device, std::size_t bytes,
                           const std::string& purpose) {
  failure why = failure_of(driver, of, device, "to allocate memory");
  if (why.code() == failure_code::device_lost) return why;
  return no_memory(device, bytes, "its driver says " + driver.name_of(of) + ", " + purpose + ".");
}

}  // namespace hocket::gpu
