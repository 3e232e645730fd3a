# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Runs the bodies in OpenCL C on oclgrind's device, and fails on any report of it.
#   cmake -DOCLGRIND=... -DPROGRAM=... -DFOLDER=... -P oclgrind.cmake
#
# Not with --uninitialized: in oclgrind 21.10 that knows no `freeze`, which clang 14 makes of divisions, and takes
# the first value of some loops for one that nobody has set.

if(NOT OCLGRIND)
  message("skipped: oclgrind is not installed (Debian: oclgrind)")
  return()
endif()
set(log "${FOLDER}/oclgrind.log")
execute_process(
  COMMAND "${OCLGRIND}" --data-races --check-api --log "${log}" "${PROGRAM}" "--gtest_filter=device_text.*"
  RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
file(READ "${log}" reports LIMIT 20000)
if(NOT result EQUAL 0 OR NOT reports STREQUAL "" OR NOT said MATCHES "PASSED.* 2 tests")
  message(FATAL_ERROR "oclgrind ended with ${result} and reports:\n${reports}\nThe program says:\n${said}")
endif()
