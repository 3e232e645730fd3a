# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

# Completes commands and options of hocket by what its --help says, and else names of files.
function __hocket_commands
    hocket --help 2>/dev/null | sed -nE '/^Subcommands:/,$ s/^  ([a-z]+) +(.*)/\1\t\2/p'
end
function __hocket_options
    set -l words (commandline -opc)
    hocket $words[2] --help 2>/dev/null | sed -nE 's/^ +(-[a-z],)?(--[a-z-]+)[^ ]*( [A-Z][^ ]*)* +(.*)/\2\t\4/p'
end
complete -c hocket -n __fish_use_subcommand -f -a '(__hocket_commands)'
complete -c hocket -n 'not __fish_use_subcommand' -a '(__hocket_options)'
