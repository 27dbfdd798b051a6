#!/usr/bin/env bash
# Builds a fuzzer of this folder and runs it.
#
#   tests/fuzz/run.sh NAME SECONDS [SEED…]    NAME: pbin_fuzz …; SEED: files or folders to start from, as
#                                             seen from the root of the source
#
# What it has tried stays in build/fuzz/corpus/NAME for the next time; what fails is left in
# build/fuzz as crash-…, and becomes a test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
name=$1 seconds=$2
shift 2
corpus="$PWD/build/fuzz/corpus/$name"
mkdir -p "$corpus"
[[ $# == 0 ]] || find "$@" -type f -size -1024k -print0 | while IFS= read -rd '' seed; do
  cp "$seed" "$corpus/${seed//\//_}"
done
cmake -S tests/fuzz -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ > /dev/null
cmake --build build/fuzz --target "$name" > /dev/null
cd build/fuzz
options=()
[[ ! -e ../../tests/fuzz/$name.dict ]] || options=(-dict="../../tests/fuzz/$name.dict")
exec "./$name" "$corpus" "${options[@]}" -max_total_time="$seconds" -print_final_stats=1 -rss_limit_mb=2048 -timeout=300
