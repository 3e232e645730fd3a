# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
# shellcheck shell=bash

# Completes commands and options of hocket by what its --help says, and else names of files.
_hocket() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} known=
  if [ "$COMP_CWORD" -eq 1 ]; then
    known=$("$program" --help 2>/dev/null |
      sed -nE '/^Subcommands:/,$ { s/^  ([a-z]+) .*/\1/p }; s/^ +(-[a-z],)?(--[a-z-]+).*/\2/p')
  elif [[ $word == -* ]]; then
    known=$("$program" "$command" --help 2>/dev/null | sed -nE 's/^ +(-[a-z],)?(--[a-z-]+).*/\2/p')
  elif [ "$command" = simulate ] && [ "$COMP_CWORD" -eq 2 ]; then
    known=$("$program" simulate --help 2>/dev/null |
      sed -nE '/^  machine /,/^$/ { s/.*one of (.*)/\1/; s/,//g; p }')
  fi
  mapfile -t COMPREPLY < <(compgen -W "$known" -- "$word")
  [ "${#COMPREPLY[@]}" -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _hocket hocket
