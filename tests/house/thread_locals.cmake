# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Which functions of the compiled FILES use thread-local variables. A function that waits may continue on another
# thread, and the compiler is free to keep the address of a thread-local variable across the call that waited. So only
# the functions named here use any, and each of them returns without having waited.
#
# FILES: objects or archives, for x86-64 or AArch64. OBJDUMP: that of their architecture. USER: the files are a user's,
# of a program or of a library. These use nothing of the kind, but that a program for x86-64 may read a variable relative
# to %fs in one instruction.

cmake_minimum_required(VERSION 3.25)

set(allowed
  current_item set_current_item current_worker bind_worker unbind_worker
  item_local set_item_local stack_number
  wait_listener::begin_listening wait_listener::end_listening tell_wait_listeners
  carried_state::take carried_state::put_back
  detail::task_memory::take_outside detail::task_memory::give_back detail::task_memory::restock
  detail::task_memory::give_other detail::task_memory::get_shelves
  detail::task_memory::thread_part::thread_part detail::task_memory::thread_part::~thread_part
  stack_has_room middle_of_stack)
if(USER)
  set(allowed "")
endif()

# The functions with a relocation of thread-local storage. In a user's code also those that read the thread pointer
# itself; %fs:0x28 is the guard of stack frames.
set(pattern "R_X86_64_(TLS|TPOFF|DTPOFF|GOTPC32_TLS)|R_AARCH64_TLS")
if(USER)
  string(APPEND pattern "|%fs:0x0|tpidr_el0|__tls_get_addr")
endif()
if(NOT USER STREQUAL "program")
  string(APPEND pattern "|R_X86_64_GOTTPOFF")
endif()
execute_process(
  COMMAND "${OBJDUMP}" --disassemble --reloc --demangle --no-show-raw-insn ${FILES}
  COMMAND awk "/^[0-9a-f]+ <.*>:$/ { sub(/^[^<]*</, \"\"); name = $0; ++functions } /${pattern}/ { print name }
    END { print functions \" functions\" }"
  COMMAND sort -u
  RESULTS_VARIABLE results OUTPUT_VARIABLE output)
if(NOT results STREQUAL "0;0;0" OR output MATCHES "(^|\n) functions")
  message(FATAL_ERROR "The functions of ${FILES} could not be read (${results}):\n${output}")
endif()

string(REGEX MATCHALL "[^\n]+" lines "${output}")
list(FILTER lines EXCLUDE REGEX "^[0-9]+ functions$")
set(bad "")
set(seen "")
foreach(line IN LISTS lines)
  # The name alone: without namespaces that all share, arguments, and what g++ says of parts and copies.
  string(REGEX REPLACE "\\[clone [^]]*\\]|\\(anonymous namespace\\)::" "" name "${line}")
  string(REGEX REPLACE "[(<>].*$" "" name "${name}")
  string(REGEX REPLACE "^hocket::" "" name "${name}")
  string(STRIP "${name}" name)
  if(name IN_LIST allowed)
    list(APPEND seen ${name})
  elseif(NOT line MATCHES "^TLS (init|wrapper) function|^__tls_init")
    list(APPEND bad "${line}")
  endif()
endforeach()
if(bad)
  list(JOIN bad "\n  " bad)
  message(FATAL_ERROR "These use thread-local variables, and may wait:\n  ${bad}")
endif()
# So that the search is known to find something.
foreach(name IN LISTS allowed)
  if(name MATCHES "^(current_item|detail::task_memory::take_outside)$" AND NOT name IN_LIST seen)
    message(FATAL_ERROR "No use of thread-local variables was found in ${name}, which has one.")
  endif()
endforeach()
