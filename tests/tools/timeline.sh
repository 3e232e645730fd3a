#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
#
# usage: timeline.sh SCRIPT PROGRAM FOLDER
#
# Draws traces by SCRIPT, which is scripts/draw-timeline: that of PROGRAM, and one by hand.

set -euo pipefail
script=$1
program=$2
folder=$3

fail() {
  echo "$1" >&2
  exit 1
}

# Fails unless picture $1 has text $2.
expect() {
  grep -qF -- "$2" "$folder/$1" || fail "$1 lacks: $2"
}

mkdir -p "$folder"
HOCKET_TRACE="$folder/program.json" HOCKET_BACKENDS=cpu HOCKET_COSTS=off "$program" > /dev/null
"$script" "$folder/program.json" "$folder/program.svg" "Of a program"
expect program.svg ">Of a program<"
expect program.svg ">NUMA0<"

cat > "$folder/small.json" <<'JSON'
[{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "Sim1"}},
 {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "Sim1 lane 0"}},
 {"ph": "X", "name": "blur 3", "cat": "kernel", "pid": 1, "tid": 2, "ts": 5, "dur": 20, "args": {"task": 1}},
 {"ph": "X", "name": "copy of <x>", "cat": "transfer", "pid": 1, "tid": 2, "ts": 30, "dur": 0, "args": {}},
 {"ph": "X", "name": "wait before blur", "cat": "wait", "pid": 1, "tid": 2, "ts": 0, "dur": 5, "args": {}}]
JSON
"$script" "$folder/small.json" "$folder/small.svg"
expect small.svg ">Timeline<"
expect small.svg ">blur<"
expect small.svg ">transfer<"
expect small.svg "<title>copy of &lt;x&gt;: 0.0 us</title>"
grep -q "wait before" "$folder/small.svg" && fail "a wait is drawn"

echo '[]' > "$folder/empty.json"
if "$script" "$folder/empty.json" "$folder/empty.svg" 2> "$folder/message"; then
  fail "an empty trace is drawn"
fi
expect message "no task"
