# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
# shellcheck shell=bash
#
# What the scripts share. Everything said here goes to standard error: standard output belongs to the
# program that a script ends in, so that `scripts/demo --json -` prints JSON and nothing else.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cores=$(nproc 2>/dev/null || echo 2)

say() { printf 'hocket: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# Runs a command as root: directly, or by sudo. Says 1 where there is no way.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    return 1
  fi
}

# Prints those of the named Debian packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
      installed) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

# Installs what is missing of the named Debian packages, and says what.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian machine; please see to it that these are installed: $*"
    return 0
  fi
  local missing
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  say "installing $missing"
  as_root true || fail "these packages are missing, and root is needed to install them: apt-get install $missing"
  local log
  log=$(mktemp)
  # shellcheck disable=SC2086
  if ! { as_root apt-get -qq update && as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
      --no-install-recommends -o Dpkg::Use-Pty=0 $missing; } >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "these packages are missing and could not be installed (as root: apt-get install $missing)"
  fi
  rm -f "$log"
}

# apt-get with its own lists, cache and sources in the folder $1, so that it needs no root and leaves the
# machine's alone. The sources are those of this machine, as sources of $2 (deb or deb-src).
private_apt() {
  local folder=$1 kind=$2 file
  shift 2
  if [ ! -d "$folder/parts" ]; then
    mkdir -p "$folder/parts" "$folder/lists/partial" "$folder/cache/archives/partial"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
      if [ -s "$file" ]; then
        sed -nE "s/^deb(-src)?[[:space:]]/$kind /p" "$file" >"$folder/parts/$(basename "$file" .list).list"
      fi
    done
    for file in /etc/apt/sources.list.d/*.sources; do
      if [ -s "$file" ]; then
        sed -E "s/^Types:.*/Types: $kind/" "$file" >"$folder/parts/$(basename "$file")"
      fi
    done
    chmod -R a+rX "$folder"
    private_apt "$folder" "$kind" -qq update >&2
  fi
  apt-get -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/parts" \
    -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" \
    -o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"
}

# Configures preset $1 where that has not happened yet, and builds the targets that follow (all, without any).
# Prints nothing where there is nothing to do.
build_preset() {
  local preset=$1 folder="$root/build/$1"
  shift
  local targets=()
  [ $# = 0 ] || targets=(--target "$@")
  if [ ! -f "$folder/build.ninja" ]; then
    mkdir -p "$folder"
    say "configuring build/$preset"
    (cd "$root" && cmake --preset "$preset") >"$folder/configure.log" 2>&1 || {
      cat "$folder/configure.log" >&2
      fail "configuring build/$preset failed"
    }
  fi
  if ninja -C "$folder" -n "$@" 2>/dev/null | tail -n 1 | grep -q 'no work to do'; then
    return 0
  fi
  say "building build/$preset with $cores cores"
  cmake --build "$folder" -j "$cores" "${targets[@]}" >&2 || fail "building build/$preset failed"
}

# The real data that stand beside a checkout, where they do.
use_shared_data() {
  if [ -z "${HOCKET_DATA_DIR:-}" ] && [ -d "$root/../shared/data" ]; then
    HOCKET_DATA_DIR=$(cd "$root/../shared/data" && pwd)
    export HOCKET_DATA_DIR
  fi
}
