# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# The packages of the project, each for what it is best at. The installed package finds the same ones.

# oneTBB under ThreadSanitizer must be instrumented itself: without that every task looks like a race.
# `scripts/setup --tsan` builds one into the user's cache directory.
if(HOCKET_THREAD_SANITIZER)
  if(NOT HOCKET_TBB_TSAN_DIR)
    if(DEFINED ENV{HOCKET_TBB_TSAN_DIR})
      set(_tbb_candidates "$ENV{HOCKET_TBB_TSAN_DIR}")
    elseif(DEFINED ENV{XDG_CACHE_HOME})
      file(GLOB _tbb_candidates "$ENV{XDG_CACHE_HOME}/hocket/tbb-tsan-clang-*")
    else()
      file(GLOB _tbb_candidates "$ENV{HOME}/.cache/hocket/tbb-tsan-clang-*")
    endif()
    list(SORT _tbb_candidates COMPARE NATURAL ORDER DESCENDING)
    foreach(_candidate IN LISTS _tbb_candidates)
      if(EXISTS "${_candidate}/.complete")
        set(HOCKET_TBB_TSAN_DIR "${_candidate}" CACHE PATH "" FORCE)
        break()
      endif()
    endforeach()
  endif()
  if(HOCKET_TBB_TSAN_DIR)
    find_package(TBB CONFIG REQUIRED PATHS "${HOCKET_TBB_TSAN_DIR}" NO_DEFAULT_PATH)
  else()
    message(WARNING "No oneTBB built with TBB_SANITIZE=thread was found, so ThreadSanitizer will report "
      "races that are none. `scripts/setup --tsan` builds one.")
  endif()
endif()

find_package(TBB CONFIG REQUIRED)
find_package(Threads REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS json)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET GLOBAL hwloc)
pkg_check_modules(openblas REQUIRED IMPORTED_TARGET GLOBAL openblas)

if(HOCKET_BUILD_TOOLS OR HOCKET_BUILD_EXAMPLES OR HOCKET_BUILD_BENCH)
  find_package(CLI11 REQUIRED)
endif()
if(HOCKET_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(HOCKET_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
