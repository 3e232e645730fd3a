# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Writes OUTPUT, a header with the commit of SOURCE, unless it says so already.
execute_process(
  COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=40 "--exclude=*"
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#pragma once\n
namespace hocket::bench {\n
inline constexpr const char* built_commit_text = \"${commit}\";\n
}  // namespace hocket::bench\n")
