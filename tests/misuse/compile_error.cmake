# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Compiles PROGRAM with each of COMPILERS, with FLAGS. It must be refused, the first error must hold the
# words EXPECTED, and there must be at most LINES lines.
foreach(compiler IN LISTS COMPILERS)
  execute_process(COMMAND "${compiler}" -std=c++20 -fsyntax-only ${FLAGS} "${PROGRAM}"
    OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE result)
  if(result EQUAL 0)
    message(FATAL_ERROR "${compiler} compiles ${PROGRAM}.")
  endif()
  # Semicolons and brackets would cut the text into the items of a list.
  string(REGEX REPLACE "[][;]" " " said "${said}")
  string(REGEX MATCHALL "[^\n]+" lines "${said}")
  list(LENGTH lines count)
  list(FILTER lines INCLUDE REGEX " error: ")
  list(GET lines 0 first)
  if(NOT first MATCHES "${EXPECTED}")
    message(FATAL_ERROR "The first error of ${compiler} does not say \"${EXPECTED}\":\n${said}")
  endif()
  if(count GREATER LINES)
    message(FATAL_ERROR "${compiler} says ${count} lines, of at most ${LINES}:\n${said}")
  endif()
endforeach()
