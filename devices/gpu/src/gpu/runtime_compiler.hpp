// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

#include "gpu/compiler.hpp"
#include "gpu/compiler_functions.hpp"

namespace hocket::gpu {

/// "13.0"; empty where the compiler does not say.
[[nodiscard]] std::string version_of(const compiler_functions& with);

/// Compiles a text, which the compiler's messages call by the name. Any thread.
[[nodiscard]] compiler::compiled compile(const compiler_functions& with, const std::string& text,
                                         const char* name, const std::vector<std::string>& options);

}  // namespace hocket::gpu
