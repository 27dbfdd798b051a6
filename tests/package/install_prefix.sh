#!/usr/bin/env bash
# Installs to a prefix that the package tests share.
#
# usage: install_prefix.sh BUILD_FOLDER PREFIX
set -euo pipefail
build="$1" prefix="$2"
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix" > "$prefix.log" || { cat "$prefix.log"; exit 1; }
# Nothing that is installed leads back into the tree.
source="$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")"
if grep -rlE "$source/(sdk|host|plugins|packaging|tests)" "$prefix/include" "$prefix/lib/cmake" "$prefix/share"; then
  echo "the files above name the source tree" >&2
  exit 1
fi
