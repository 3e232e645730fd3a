// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>

#include <hocket/devices/driver_library.hpp>

namespace hocket::gpu {

/// Finds a function of a library. The first name that it does not have stays in `missing`.
template <class Function>
void find(const driver_library& in, const char* name, Function& found, std::string& missing) {
  found = in.find<Function>(name);
  if (found == nullptr && missing.empty()) missing = name;
}

}  // namespace hocket::gpu
