# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# One module is one target that sees only the headers of the modules it depends on.
#
#   hocket_add_module(<name>
#     HEADERS      include/hocket/<name>/a.hpp ...     public: installed, each must compile alone
#     SOURCES      src/a.cpp ...                       without any, the module is headers only
#     DEPENDS      hocket::core ...                    modules whose headers it may include
#     LINK         TBB::tbb ...                        packages that its headers need
#     LINK_PRIVATE PkgConfig::openblas ...             packages that only its sources need
#   )
#   hocket_add_room(<name> ...)       the same for scheduler/<name>: target hocket::scheduler_<name>
#   hocket_add_backend(<name> ...)    the same for devices/<name>: target hocket::devices_<name>, DEPENDS
#                                     hocket::devices is implied, HOCKET_ENABLE_<NAME> switches it off
#   hocket_add_test(<name> SOURCES ... LINK ... [INTERNALS <module> ...] [LABELS ...] [TIMEOUT s]
#                   [ENVIRONMENT A=b ...] [RUN_SERIAL] [DRIVERS] [ONE_THREAD] [COMPUTES])
#                                     executable test_<name>, ctest entry <name>. LABELS: race (repeated 20 times under
#                                     ThreadSanitizer), full (only in scripts/test --full), house (not under sanitizers).
#                                     ONE_THREAD: no two threads run code of Hocket, so that there is none under
#                                     ThreadSanitizer. COMPUTES: optimised as the library is, for what takes long
#   hocket_add_fuzz_target(<name> LINK ... [INTERNALS <module> ...])
#                                     executable fuzz_<name> of <name>.cpp, ctest entry fuzz.<name>: replays the files of
#                                     corpus/<name>. In the preset `fuzz` it is what libFuzzer drives
#   hocket_add_bench(<name> SOURCES ... LINK ...)       executable bench_<name>
#   hocket_add_example(<name> SOURCES ... LINK ...)     executable <name>

include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

set_property(GLOBAL PROPERTY HOCKET_BACKENDS "")

# A shared library of Hocket exports what is in its namespace. A user's shared library that Hocket's static libraries
# are linked into exports nothing of them.
function(_hocket_limit_exports target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/exports.map")
  else()
    set(archive "${CMAKE_STATIC_LIBRARY_PREFIX}${target}${CMAKE_STATIC_LIBRARY_SUFFIX}")
    target_link_options(${target} INTERFACE "LINKER:--exclude-libs,${archive}")
  endif()
endfunction()

# So many sources are compiled as one, which takes a third to a half of the time. The sources of one test use names more
# freely than those of a module: fewer of them are put together.
set(HOCKET_UNITY_MODULE 24)
set(HOCKET_UNITY_PROGRAM 8)
# Names of the sources before are hidden, and g++ takes a type in a source for one of a header.
set(HOCKET_UNITY_WARNINGS -Wno-shadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND HOCKET_UNITY_WARNINGS -Wno-subobject-linkage)
endif()
# Not those that have thread locals: a function that an item may be suspended in must not see through the ones that read
# them. Nor those with SKIP_UNITY_BUILD_INCLUSION: one of their names is something else in another source.
function(_hocket_compile_together target count)
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" thread_locals REGEX "thread_local" LIMIT_COUNT 1)
    if(thread_locals)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  target_compile_options(${target} PRIVATE ${HOCKET_UNITY_WARNINGS})
endfunction()

# For all targets of a folder whose sources also build as projects of their own. Under a sanitizer they are optimised as
# tests are.
macro(hocket_compile_folder_fast)
  add_compile_options(${HOCKET_WARNINGS})
  if(HOCKET_UNITY_PROGRAMS)
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE ${HOCKET_UNITY_PROGRAM})
    add_compile_options(${HOCKET_UNITY_WARNINGS})
  endif()
  if(HOCKET_SANITIZER)
    add_compile_options(${HOCKET_TEST_FLAGS})
  endif()
endmacro()

function(_hocket_add_library target public_name)
  cmake_parse_arguments(arg "" "" "HEADERS;SOURCES;DEPENDS;LINK;LINK_PRIVATE" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "Module ${public_name}: unknown arguments ${arg_UNPARSED_ARGUMENTS}.")
  endif()
  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(${target})
    target_sources(${target} PRIVATE ${arg_SOURCES})
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
    target_compile_options(${target} PRIVATE ${HOCKET_WARNINGS})
    target_link_libraries(${target} PRIVATE ${arg_LINK_PRIVATE})
    if(HOCKET_UNITY_BUILD)
      _hocket_compile_together(${target} ${HOCKET_UNITY_MODULE} ${arg_SOURCES})
    endif()
    _hocket_limit_exports(${target})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_LINK_PRIVATE})
  endif()
  add_library(hocket::${public_name} ALIAS ${target})
  target_compile_features(${target} ${scope} cxx_std_20)
  # The directory stands here as well as in the file set: a module may have no listed header yet.
  target_include_directories(${target} ${scope}
    "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>")
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include" FILES ${arg_HEADERS})
  target_link_libraries(${target} ${scope} ${arg_DEPENDS} ${arg_LINK})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${public_name}
    VERIFY_INTERFACE_HEADER_SETS ON
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS ${target} EXPORT hocket-targets
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  if(arg_SOURCES)
    set_property(GLOBAL APPEND PROPERTY HOCKET_LIBRARIES ${target})
  endif()
endfunction()

function(hocket_add_module name)
  _hocket_add_library(hocket_${name} ${name} ${ARGN})
endfunction()

# A part of the scheduler: scheduler/<name>, target hocket::scheduler_<name>. It also sees the private headers of the
# rooms that were added before it, as "<room>/header.hpp".
function(hocket_add_room name)
  set(target hocket_scheduler_${name})
  _hocket_add_library(${target} scheduler_${name} ${ARGN})
  get_property(rooms GLOBAL PROPERTY HOCKET_ROOMS)
  foreach(room IN LISTS rooms)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/scheduler/${room}/src")
  endforeach()
  target_compile_options(${target} PRIVATE ${HOCKET_THREAD_LOCALS})
  set_property(GLOBAL APPEND PROPERTY HOCKET_ROOMS ${name})
endfunction()

# The folders of the private headers of a module, or of all rooms for `scheduler`.
function(_hocket_private_headers result module)
  if(module STREQUAL "scheduler")
    get_property(rooms GLOBAL PROPERTY HOCKET_ROOMS)
    list(TRANSFORM rooms PREPEND "${PROJECT_SOURCE_DIR}/scheduler/" OUTPUT_VARIABLE folders)
    list(TRANSFORM folders APPEND "/src")
  else()
    set(folders "${PROJECT_SOURCE_DIR}/${module}/src")
  endif()
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

function(hocket_add_backend name)
  string(TOUPPER ${name} upper)
  option(HOCKET_ENABLE_${upper} "Build the ${name} backend" ON)
  if(NOT HOCKET_ENABLE_${upper})
    return()
  endif()
  _hocket_add_library(hocket_devices_${name} devices_${name} ${ARGN} DEPENDS hocket::devices)
  set_property(GLOBAL APPEND PROPERTY HOCKET_BACKENDS ${name})
endfunction()

# Writes <hocket/backends.inc> (one line `HOCKET_BACKEND(cpu)` for each enabled backend) for the private use of
# `target`, and links the backends to it. Backends that register themselves from statics would be dropped by the linker.
function(hocket_link_backends target)
  get_property(backends GLOBAL PROPERTY HOCKET_BACKENDS)
  set(table "")
  foreach(backend IN LISTS backends)
    string(APPEND table "HOCKET_BACKEND(${backend})\n")
    target_link_libraries(${target} PRIVATE hocket::devices_${backend})
  endforeach()
  # One table serves all targets.
  get_property(written GLOBAL PROPERTY HOCKET_BACKENDS_WRITTEN)
  if(NOT written)
    file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/generated/hocket/backends.inc" CONTENT "${table}")
    set_property(GLOBAL PROPERTY HOCKET_BACKENDS_WRITTEN ON)
  endif()
  target_include_directories(${target} PRIVATE "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>")
endfunction()

function(_hocket_add_executable target)
  cmake_parse_arguments(arg "APART" "" "SOURCES;LINK;INTERNALS" ${ARGN})
  add_executable(${target} ${arg_SOURCES})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE ${HOCKET_WARNINGS})
  target_compile_definitions(${target} PRIVATE HOCKET_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PRIVATE ${arg_LINK})
  foreach(module IN LISTS arg_INTERNALS)
    _hocket_private_headers(folders ${module})
    target_include_directories(${target} PRIVATE ${folders})
  endforeach()
  if(HOCKET_UNITY_PROGRAMS AND NOT arg_APART)
    _hocket_compile_together(${target} ${HOCKET_UNITY_PROGRAM} ${arg_SOURCES})
  endif()
endfunction()

# The headers that most tests include are compiled once for all of these tests. The program is never run: headers are
# compiled for programs in another way than for libraries.
function(_hocket_precompile_headers target)
  if(NOT TARGET hocket_test_headers)
    set(source "${PROJECT_BINARY_DIR}/generated/test_headers.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "int main() {}\n")
    _hocket_add_executable(hocket_test_headers APART SOURCES "${source}" LINK hocket::hocket GTest::gtest)
    target_compile_options(hocket_test_headers PRIVATE ${HOCKET_TEST_FLAGS})
    target_precompile_headers(hocket_test_headers PRIVATE <hocket/hocket.hpp> <gtest/gtest.h>)
    set_target_properties(hocket_test_headers PROPERTIES EXCLUDE_FROM_ALL ON)
    # A precompiled header holds checksums of the headers in it. Were it found again by its preprocessed text, which
    # comments do not change, "#pragma once" would fail: ccache is to look at the files.
    if(CMAKE_CXX_COMPILER_LAUNCHER)
      set_target_properties(hocket_test_headers PROPERTIES CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND};-E;env;CCACHE_DEPEND=1;${CMAKE_CXX_COMPILER_LAUNCHER}")
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM hocket_test_headers)
endfunction()

# One executable test_<name> of the build's bin directory, and one ctest entry <name>.
function(hocket_add_test name)
  cmake_parse_arguments(arg "RUN_SERIAL;DRIVERS;ONE_THREAD;COMPUTES" "TIMEOUT"
    "SOURCES;LINK;INTERNALS;LABELS;ENVIRONMENT" ${ARGN})
  if(arg_ONE_THREAD AND HOCKET_THREAD_SANITIZER)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(arg_DRIVERS)
    list(APPEND arg_ENVIRONMENT "${HOCKET_WITHOUT_COSTS}")
  else()
    list(APPEND arg_ENVIRONMENT "${HOCKET_WITHOUT_DRIVERS}")
  endif()
  _hocket_add_executable(test_${name} SOURCES ${arg_SOURCES} INTERNALS ${arg_INTERNALS}
    LINK ${arg_LINK} GTest::gtest_main GTest::gmock)
  if(HOCKET_SANITIZER)
    target_link_libraries(test_${name} PRIVATE hocket_sanitizer_reports)
  endif()
  if(NOT arg_COMPUTES)
    target_compile_options(test_${name} PRIVATE ${HOCKET_TEST_FLAGS})
    if("hocket::hocket" IN_LIST arg_LINK OR "hocket::scheduler" IN_LIST arg_LINK)
      _hocket_precompile_headers(test_${name})
    endif()
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
    ENVIRONMENT "${arg_ENVIRONMENT}" RUN_SERIAL ${arg_RUN_SERIAL})
endfunction()

function(hocket_add_fuzz_target name)
  cmake_parse_arguments(arg "" "" "LINK;INTERNALS" ${ARGN})
  set(sources ${name}.cpp)
  if(HOCKET_FUZZER)
    set(options -runs=0)
  else()
    set(options "")
    list(APPEND sources replay.cpp)
  endif()
  _hocket_add_executable(fuzz_${name} SOURCES ${sources} LINK ${arg_LINK} INTERNALS ${arg_INTERNALS})
  target_compile_options(fuzz_${name} PRIVATE ${HOCKET_TEST_FLAGS})
  target_link_options(fuzz_${name} PRIVATE $<$<BOOL:${HOCKET_FUZZER}>:-fsanitize=fuzzer>)
  add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${options} "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name}")
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120 LABELS fuzz)
endfunction()

# The test finds the driver of CUDA that executes PTX on the host (tests/drivers/cuda), where there is one, instead of the
# machine's own. That driver takes PTX of every version.
function(hocket_use_standin_cuda test program)
  _hocket_use_standin(${test} ${program} cuda "HOCKET_BACKEND_CUDA=nvrtc=")
endfunction()

# The test finds the driver of HIP that does so (tests/drivers/hip), whose compiler is NVRTC.
function(hocket_use_standin_hip test program)
  _hocket_use_standin(${test} ${program} hip "HOCKET_STANDIN_NVRTC=")
endfunction()

# nvrtc: a variable of the environment, up to where the file is named.
function(_hocket_use_standin test program vendor nvrtc)
  if(NOT TARGET standin_${vendor})
    return()
  endif()
  find_library(HOCKET_NVRTC NAMES libnvrtc.so.13 libnvrtc.so.12 PATHS /usr/local/cuda/lib64)
  mark_as_advanced(HOCKET_NVRTC)
  add_dependencies(${program} standin_${vendor})
  if(HOCKET_NVRTC)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "${nvrtc}${HOCKET_NVRTC}")
  endif()
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    "LD_LIBRARY_PATH=path_list_prepend:$<TARGET_FILE_DIR:standin_${vendor}>")
endfunction()

# What keeps a test from the costs that its user's programs have measured.
set(HOCKET_WITHOUT_COSTS "HOCKET_COSTS=off")
# What keeps a test to the devices that every machine has as well.
set(HOCKET_WITHOUT_DRIVERS "HOCKET_BACKENDS=cpu,sim;${HOCKET_WITHOUT_COSTS}")

function(hocket_add_bench name)
  # The sources of its subjects use the same names.
  _hocket_add_executable(bench_${name} APART ${ARGN})
endfunction()

function(hocket_add_example name)
  _hocket_add_executable(${name} ${ARGN})
endfunction()

# Adds every folder below the current one that has a CMakeLists.txt: these are programs of their own.
function(hocket_add_subdirectories)
  file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(entry IN LISTS entries)
    get_filename_component(folder "${entry}" DIRECTORY)
    add_subdirectory("${folder}")
  endforeach()
endfunction()

# For builds that do not use CMake. Static libraries bring what they were made with.
function(_hocket_install_pkgconfig)
  get_property(libraries GLOBAL PROPERTY HOCKET_LIBRARIES)
  list(TRANSFORM libraries PREPEND "-l")
  if(BUILD_SHARED_LIBS)
    set(_requires tbb)
  else()
    get_property(_requires GLOBAL PROPERTY HOCKET_PKGCONFIG_REQUIRES)
    list(APPEND _requires tbb hwloc ${HOCKET_OPENBLAS_MODULES})
    get_property(others GLOBAL PROPERTY HOCKET_PKGCONFIG_LIBRARIES)
    list(TRANSFORM others PREPEND "-l")
    # Some of them need one another in both directions.
    set(libraries "-Wl,--start-group" ${libraries} ${others} -lboost_json -lboost_context "-Wl,--end-group")
  endif()
  list(JOIN _requires " " _requires)
  list(JOIN libraries " " _libs)
  set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  file(RELATIVE_PATH _to_prefix "/${folder}" "/")
  string(REGEX REPLACE "/$" "" _to_prefix "${_to_prefix}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/hocket.pc.in" "${PROJECT_BINARY_DIR}/hocket.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/hocket.pc" DESTINATION ${folder} COMPONENT development)
endfunction()

function(hocket_install_package)
  set(destination "${CMAKE_INSTALL_LIBDIR}/cmake/hocket")
  install(EXPORT hocket-targets NAMESPACE hocket:: DESTINATION ${destination} COMPONENT development)
  list(JOIN HOCKET_OPENBLAS_MODULES " " _openblas_modules)
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/hocket-config.cmake.in"
    "${PROJECT_BINARY_DIR}/hocket-config.cmake" INSTALL_DESTINATION ${destination})
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/hocket-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/hocket-config.cmake" "${PROJECT_BINARY_DIR}/hocket-config-version.cmake"
    DESTINATION ${destination} COMPONENT development)
  _hocket_install_pkgconfig()
endfunction()
