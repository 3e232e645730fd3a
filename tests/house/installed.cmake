# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# What the tests of installed packages share. COMPILER and LAUNCHER are those of the build.

# A list, which the environment keeps together.
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}")

# Runs a command that is to succeed, and leaves what it prints in `output`.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Runs a command that is to print `expected`.
function(run_printing expected)
  run(${ARGN})
  if(NOT output STREQUAL expected)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nprinted:\n${output}")
  endif()
endfunction()

# Builds the project in `folder`, which knows nothing of Hocket but the package below `prefix`.
function(build_project folder build prefix)
  set(options -G Ninja -D CMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}")
  run("${CMAKE_COMMAND}" -S "${folder}" -B "${build}" ${options} ${ARGN})
  run("${CMAKE_COMMAND}" --build "${build}")
endfunction()

# Fails if `library` exports a symbol that does not match `allowed`, or fewer than `least` in all.
function(check_exports library least allowed)
  run(nm --dynamic --defined-only --format=just-symbols "${library}")
  string(REGEX MATCHALL "[^\n]+" symbols "${output}")
  set(others "${symbols}")
  list(FILTER others EXCLUDE REGEX "${allowed}")
  list(LENGTH symbols count)
  if(others)
    list(SUBLIST others 0 10 some)
    list(JOIN some "\n  " some)
    message(FATAL_ERROR "Of ${count} symbols ${library} exports some that it should not, as\n  ${some}")
  endif()
  if(count LESS least)
    message(FATAL_ERROR "${library} exports only ${count} symbols.")
  endif()
endfunction()
