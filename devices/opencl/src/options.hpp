// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hocket::opencl {

/// What the configuration says.
struct options {
  std::size_t sub_devices = 1;
  std::optional<std::uint64_t> memory;
  bool import = true;
};

[[nodiscard]] options parse(const std::string& configuration);

}  // namespace hocket::opencl
