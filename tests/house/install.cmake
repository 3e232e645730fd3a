# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Installs the build tree BUILD below WORK, and builds and runs tests/install and the hello example against that.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")

set(common -G Ninja -D CMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}")

run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/install" -B "${WORK}/build" ${common})
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/hello")
if(NOT output STREQUAL "4.1943e+06\n")
  message(FATAL_ERROR "The hello program printed \"${output}\".")
endif()

file(GLOB examples "${SOURCE}/examples/*/CMakeLists.txt")
foreach(example IN LISTS examples)
  get_filename_component(folder "${example}" DIRECTORY)
  get_filename_component(name "${folder}" NAME)
  run("${CMAKE_COMMAND}" -S "${folder}" -B "${WORK}/examples/${name}" ${common})
  if(name MATCHES "^01")
    run("${CMAKE_COMMAND}" --build "${WORK}/examples/${name}")
  endif()
endforeach()
