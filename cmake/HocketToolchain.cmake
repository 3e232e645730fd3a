# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# What concerns the compiler and the linker, and only when Hocket is the project that is being built.

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_CXX_EXTENSIONS OFF)

  # A clone in another folder finds what this one has compiled, tests with precompiled headers among it. Debuggers may
  # then show the sources of the clone that compiled them.
  find_program(HOCKET_CCACHE ccache)
  if(HOCKET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
      CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros "${HOCKET_CCACHE}")
  endif()

  # A faster linker where there is one. The cached answer keeps a later configure from asking again.
  include(CheckLinkerFlag)
  foreach(_linker mold lld)
    check_linker_flag(CXX "-fuse-ld=${_linker}" HOCKET_HAS_${_linker})
    if(HOCKET_HAS_${_linker})
      add_link_options("-fuse-ld=${_linker}")
      break()
    endif()
  endforeach()
endif()

set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Shared libraries find one another, and installed programs find them, wherever the package is moved to.
if(BUILD_SHARED_LIBS AND NOT DEFINED CMAKE_INSTALL_RPATH)
  file(RELATIVE_PATH _libraries "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/${_libraries}")
endif()

# Thread-local variables by TLS descriptors, which linkers turn into offsets in executables. g++ has to be asked for
# them on x86-64; elsewhere they are what it does.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-mtls-dialect=gnu2 HOCKET_HAS_TLS_DESCRIPTORS)
set(HOCKET_THREAD_LOCALS $<$<BOOL:${HOCKET_HAS_TLS_DESCRIPTORS}>:-mtls-dialect=gnu2>)
set(CMAKE_THREAD_PREFER_PTHREAD ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)

# Warnings are private to our own targets: a user's flags are the user's.
set(HOCKET_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion)

if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(HOCKET_SANITIZER ON)
else()
  set(HOCKET_SANITIZER OFF)
endif()

# g++ says of itself that this one errs under sanitizers; the dev preset has it on.
if(HOCKET_SANITIZER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND HOCKET_WARNINGS -Wno-maybe-uninitialized)
endif()
# g++ 12 believes that moving a boost::container::small_vector may read past its end, and that the two strings of
# `"text" + string` may overlap.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND HOCKET_WARNINGS -Wno-stringop-overread -Wno-restrict)
endif()

string(FIND "${CMAKE_CXX_FLAGS}" "-fsanitize=thread" _thread_sanitizer)
if(_thread_sanitizer GREATER_EQUAL 0)
  set(HOCKET_THREAD_SANITIZER ON)
else()
  set(HOCKET_THREAD_SANITIZER OFF)
endif()

if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=fuzzer-no-link")
  set(HOCKET_FUZZER ON)
else()
  set(HOCKET_FUZZER OFF)
endif()
