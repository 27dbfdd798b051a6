#!/bin/sh
# c_headers_alone.sh CC CXX INCLUDE
#
# Compiles every header of the C contract alone, as C99 and as C++20, twice in one file. Exits with 1
# when one does not compile, 2 when there is nothing to check.
set -u
cc=$1 cxx=$2 include=$3
checked=0 failed=0
for header in "$include"/mortise/c/*.h; do
  [ -f "$header" ] || continue
  name=mortise/c/$(basename "$header")
  source="#include <$name>
#include <$name>
int main(void) { return 0; }"
  for language in c c++; do
    if [ "$language" = c ]; then compiler=$cc standard=c99; else compiler=$cxx standard=c++20; fi
    if ! printf '%s\n' "$source" | "$compiler" -x "$language" -std="$standard" -Wall -Wextra -pedantic -Werror \
      -fsyntax-only -I "$include" -; then
      echo "$name does not compile alone as $standard" >&2
      failed=1
    fi
    checked=$((checked + 1))
  done
done
[ "$checked" -gt 0 ] || { echo "no headers in $include/mortise/c" >&2; exit 2; }
echo "$checked compilations"
exit "$failed"
