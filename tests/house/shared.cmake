# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Builds SOURCE below WORK with the other compiler, clang, as shared libraries, with warnings as errors; installs that,
# moves it, and runs the installed command and the hello program where nothing says where libraries are.

include("${CMAKE_CURRENT_LIST_DIR}/installed.cmake")

find_program(CLANG NAMES clang++-14 clang++ REQUIRED)
set(COMPILER "${CLANG}")
# What is checked here does not depend on optimisation, which would take most of the time.
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_FLAGS_RELEASE=-O0
  -D CMAKE_COMPILE_WARNING_AS_ERROR=ON -D BUILD_SHARED_LIBS=ON -D HOCKET_BUILD_TESTS=OFF
  -D HOCKET_BUILD_BENCH=OFF -D HOCKET_BUILD_EXAMPLES=OFF "-DCMAKE_CXX_COMPILER=${CLANG}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")

file(REMOVE_RECURSE "${WORK}/installed" "${WORK}/prefix")
run("${CMAKE_COMMAND}" --install "${WORK}/build" --prefix "${WORK}/installed")
file(RENAME "${WORK}/installed" "${WORK}/prefix")

unset(ENV{LD_LIBRARY_PATH})
set(ENV{HOCKET_BACKENDS} cpu)
run("${WORK}/prefix/bin/hocket" devices)
if(NOT output MATCHES "NUMA0")
  message(FATAL_ERROR "The installed command printed:\n${output}")
endif()
file(REMOVE_RECURSE "${WORK}/hello")
build_project("${SOURCE}/tests/install" "${WORK}/hello" "${WORK}/prefix" -D CMAKE_CXX_FLAGS=-Werror)
run_printing("4.1943e+06\n" "${WORK}/hello/hello")

# Every public header, as a user's own code and not as a system's, whose warnings are hidden.
file(GLOB_RECURSE headers RELATIVE "${WORK}/prefix/include" "${WORK}/prefix/include/hocket/*.hpp")
list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE text)
list(JOIN text "" text)
file(WRITE "${WORK}/headers.cpp" "${text}")
run("${CLANG}" -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only
  "-I${WORK}/prefix/include" "${WORK}/headers.cpp")

file(GLOB_RECURSE libraries "${WORK}/prefix/*/libhocket_*.so")
list(LENGTH libraries count)
if(count LESS 7)
  message(FATAL_ERROR "Only these libraries were installed: ${libraries}.")
endif()
foreach(library IN LISTS libraries)
  check_exports("${library}" 10 "^_Z[A-Za-z0-9_]*6hocket")
endforeach()
