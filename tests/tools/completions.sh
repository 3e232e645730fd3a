#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
#
# usage: completions.sh SCRIPT HOCKET
#
# What SCRIPT makes bash complete for the program HOCKET.

set -euo pipefail
# shellcheck source=tools/completions/hocket.bash
. "$1"
hocket=$2

# Fails unless the last of the words after the first is completed to the first.
expect() {
  local expected=$1
  shift
  COMP_WORDS=("$hocket" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _hocket
  [ "${COMPREPLY[*]}" = "$expected" ] || {
    echo "hocket $* is completed to: ${COMPREPLY[*]}; it should be: $expected"
    exit 1
  }
}

expect "top torture" t
expect "--version" --v
expect "4xa100-pcie" simulate 4
expect "--timed --trace" simulate 4xa100-pcie --t
expect "--help" top --h
cd "$(dirname "$0")"
expect "completions.sh" explain comp
