# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# What the examples share. Each example includes this file, so that it is a project of its own.
#   examples_common    command lines, files, interrupts: nothing that touches devices
#   examples_machine   devices and machines that are chosen on the command line, what each device did

include_guard(GLOBAL)

include("${CMAKE_CURRENT_LIST_DIR}/ending.cmake")
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS json)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)

add_library(examples_common STATIC EXCLUDE_FROM_ALL
  "${CMAKE_CURRENT_LIST_DIR}/command_line.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/files.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/interrupt.cpp"
)
target_link_libraries(examples_common PUBLIC examples_ending CLI11::CLI11 fmt::fmt Threads::Threads)

add_library(examples_machine STATIC EXCLUDE_FROM_ALL
  "${CMAKE_CURRENT_LIST_DIR}/device_work.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/machine_choice.cpp"
)
target_link_libraries(examples_machine PUBLIC examples_common hocket::hocket hocket::devices_sim Boost::json)
