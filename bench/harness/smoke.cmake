# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Runs BENCH with small counts and looks at what it writes, and at what it says when it cannot. With OPTIONS it looks at
# what it writes with those alone.
execute_process(COMMAND "${BENCH}" --quick --json - ${OPTIONS} OUTPUT_VARIABLE report RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "--quick --json - ${OPTIONS} ends with ${result}.")
endif()
string(JSON cpu GET "${report}" machine cpu)
string(JSON commit GET "${report}" commit)
string(JSON count LENGTH "${report}" rows)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  foreach(key case subject metric unit threads median min max runs)
    string(JSON value GET "${report}" rows ${i} ${key})
    if(value STREQUAL "" OR value STREQUAL "0")
      message(FATAL_ERROR "Row ${i} has no ${key}.")
    endif()
  endforeach()
endforeach()

if(OPTIONS)
  return()
endif()

function(expect code)
  execute_process(COMMAND "${BENCH}" ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE said
    RESULT_VARIABLE result)
  if(NOT result EQUAL code)
    message(FATAL_ERROR "${ARGN} ends with ${result}; it must end with ${code}. It says: ${said}")
  endif()
  # What the runtime says of lost devices stands before the line of the benchmark.
  if(NOT code EQUAL 0 AND NOT said MATCHES "^(hocket: [^\n]+\n)*bench_[^\n]+\n$")
    message(FATAL_ERROR "${ARGN} does not say one line: ${said}")
  endif()
endfunction()
expect(0 --help)
expect(2 --no-such-option)
expect(2 --threads 0)
expect(2 --threads banana)
expect(2 --rounds 8)
expect(1 --quick --only no_such_case)
expect(2 samples a_case a_metric a_subject 0)
expect(1 --quick samples no_such_case a_metric a_subject 1)
expect(1 --quick --json no/such/folder/report.json)
if(EXISTS /dev/full)
  expect(1 --quick --json /dev/full)
endif()
