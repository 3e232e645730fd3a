// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

namespace hocket::testing {

/// A code that a function of a driver may return, and its name. Positive ones are no errors.
struct returned_code {
  int code = 0;
  const char* name = "";
};

/// The codes other than success that the specification of the API gives the function, and Hocket
/// does not exclude by how it calls it.
[[nodiscard]] std::vector<returned_code> opencl_codes(const std::string& function);
[[nodiscard]] std::vector<returned_code> vulkan_codes(const std::string& function);

}  // namespace hocket::testing
