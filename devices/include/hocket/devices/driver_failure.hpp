// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <hocket/core/error.hpp>

namespace hocket {

/// An error code of an API, its name there, and what it means.
struct driver_code {
  int code = 0;
  const char* name = "";
  failure_code meaning = failure_code::internal;
};

/// The meaning of the code in the table; `otherwise` if the table does not have the code.
[[nodiscard]] failure_code meaning_of(std::span<const driver_code> codes, int code,
                                      failure_code otherwise);

/// "CL_OUT_OF_RESOURCES (-5)", or "code -5" where the table has no name for it.
[[nodiscard]] std::string text_of(std::span<const driver_code> codes, int code);

/// "Device "X" <what>: its driver says <code>." what is a clause such as "cannot record a launch".
[[nodiscard]] failure driver_failure(failure_code meaning, const std::string& device,
                                     const std::string& what, const std::string& code);

/// The device has no memory for so many bytes. why is a sentence.
[[nodiscard]] failure no_memory(const std::string& device, std::size_t bytes,
                                const std::string& why);

/// The compiler or the driver refuses a kernel. log is what it says, of which the failure has the
/// first lines.
[[nodiscard]] failure compile_failure(const std::string& device, const std::string& kernel,
                                      const std::string& log);

}  // namespace hocket
