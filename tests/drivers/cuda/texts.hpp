// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <optional>
#include <string>

namespace standin::testing {

/// The committed PTX of the kernels for tests.
std::string committed_kernels();

/// PTX that NVRTC makes of the kernels now; nothing where there is no NVRTC.
std::optional<std::string> compiled_kernels();

}  // namespace standin::testing
