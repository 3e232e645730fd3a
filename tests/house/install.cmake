# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Installs the build tree BUILD below WORK, and builds tests/install and the examples against that and runs them.

include("${CMAKE_CURRENT_LIST_DIR}/installed.cmake")

file(REMOVE_RECURSE "${WORK}")
set(prefix "${WORK}/prefix")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

build_project("${SOURCE}/tests/install" "${WORK}/build" "${prefix}")
run_printing("4.1943e+06\n" "${WORK}/build/hello")

# The same without CMake.
file(GLOB_RECURSE description "${prefix}/hocket.pc")
get_filename_component(folder "${description}" DIRECTORY)
set(ENV{PKG_CONFIG_PATH} "${folder}")
run(pkg-config --cflags --libs hocket)
separate_arguments(flags UNIX_COMMAND "${output}")
run("${COMPILER}" -std=c++20 "${SOURCE}/tests/install/hello.cpp" ${flags} -o "${WORK}/hello_by_pkg_config")
run_printing("4.1943e+06\n" "${WORK}/hello_by_pkg_config")

# Each example is a project of its own, which finds the package. The small ones are also built, as parts of one project
# and without optimisation, because that is the fastest way.
file(GLOB examples "${SOURCE}/examples/*/CMakeLists.txt")
foreach(example IN LISTS examples)
  get_filename_component(folder "${example}" DIRECTORY)
  get_filename_component(name "${folder}" NAME)
  run("${CMAKE_COMMAND}" -S "${folder}" -B "${WORK}/examples/${name}" -G Ninja "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}")
endforeach()
build_project("${SOURCE}/tests/install/examples" "${WORK}/small_examples" "${prefix}" "-DEXAMPLES=${SOURCE}/examples"
  -D CMAKE_CXX_FLAGS_RELEASE=-O0)

# Drivers are not what is in question, and take time to start.
set(ENV{HOCKET_BACKENDS} cpu,sim)

run_printing("4.1943e+06\n" "${WORK}/small_examples/bin/01_hello")
file(GLOB programs "${WORK}/small_examples/bin/[0-9]*")
foreach(program IN LISTS programs)
  run("${program}")
endforeach()

# Two libraries that each contain Hocket are opened by one process, in each way there is.
set(libraries "${WORK}/two_libraries")
build_project("${SOURCE}/tests/install/two_libraries" "${libraries}" "${prefix}")
find_program(PYTHON NAMES python3 REQUIRED)
set(files "${libraries}/libone.so" "${libraries}/libtwo.so")
run_printing("right\n" "${libraries}/opens" local ${files})
run_printing("right\n" "${libraries}/opens" global ${files})
run_printing("right\n" "${libraries}/linked")
run_printing("right\n" "${PYTHON}" "${SOURCE}/tests/install/two_libraries/opens.py" ${files})
foreach(file IN LISTS files)
  # The C++ library and Boost say of their own type information that it is to be shared.
  check_exports("${file}" 2 "^(sum|fail)_in_(one|two)$|^_ZT[ISV](St|N5boost)|^_ZZNSt")
  # The flag of libraries that take room in the static TLS block, of which there is little.
  run(readelf --dynamic --wide "${file}")
  if(output MATCHES "STATIC_TLS")
    message(FATAL_ERROR "${file} needs static thread-local storage.")
  endif()
endforeach()
