# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Counts the instructions of BENCH at two sizes, but those of PEERS, and fails where those of a task of ours grow by more than MOST for a
# tenfold size. Not in the cases that match KNOWN.
execute_process(COMMAND "${BENCH}" --quick --instructions --without "${PEERS}" --json - OUTPUT_VARIABLE report RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "--quick --instructions --without ${PEERS} --json - ends with ${result}.")
endif()
string(JSON count LENGTH "${report}" growth)
math(EXPR last "${count} - 1")
set(checked 0)
foreach(i RANGE ${last})
  string(JSON case GET "${report}" growth ${i} case)
  string(JSON subject GET "${report}" growth ${i} subject)
  string(JSON grows GET "${report}" growth ${i} per_tenfold)
  if(case MATCHES "${KNOWN}")
    continue()
  endif()
  math(EXPR checked "${checked} + 1")
  if(grows GREATER MOST)
    message(SEND_ERROR "A task of ${case}, ${subject}, costs ${grows} times as many instructions at a tenfold size.")
  endif()
endforeach()
if(checked EQUAL 0)
  message(FATAL_ERROR "Nothing of ours was counted.")
endif()
