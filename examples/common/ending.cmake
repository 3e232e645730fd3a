# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# How all examples end, small and large, and where they find Hocket. The small ones need nothing else of this folder.

include_guard(GLOBAL)

if(NOT TARGET hocket::hocket)
  find_package(hocket REQUIRED)
endif()

add_library(examples_ending STATIC EXCLUDE_FROM_ALL
  "${CMAKE_CURRENT_LIST_DIR}/ending.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/standard_streams.cpp"
)
target_compile_features(examples_ending PUBLIC cxx_std_20)
target_include_directories(examples_ending PUBLIC "${CMAKE_CURRENT_LIST_DIR}/..")
target_link_libraries(examples_ending PUBLIC hocket::core)
