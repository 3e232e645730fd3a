# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Every C++ file is as clang-format 14 (that of Debian 12) leaves it.

find_program(CLANG_FORMAT NAMES clang-format-14 clang-format REQUIRED)
set(files "")
foreach(folder core execution memory kernels streams devices scheduler tools tests bench examples python)
  file(GLOB_RECURSE found "${SOURCE}/${folder}/*.cpp" "${SOURCE}/${folder}/*.hpp")
  list(APPEND files ${found})
endforeach()
execute_process(COMMAND "${CLANG_FORMAT}" --dry-run -Werror ${files}
  WORKING_DIRECTORY "${SOURCE}" RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  string(REGEX MATCHALL "[^\n]*: error:" places "${output}")
  list(LENGTH places count)
  list(TRANSFORM places REPLACE ":[0-9]+:[0-9]+: error:$" "")
  list(REMOVE_DUPLICATES places)
  list(JOIN places "\n  " places)
  message(FATAL_ERROR "${count} places are not formatted (clang-format -i mends them), in\n  ${places}")
endif()
