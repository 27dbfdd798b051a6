#!/usr/bin/env bash
# Where a project outside the tree finds LibTorch: by LIBTORCH_ROOT as an option or in the environment,
# in the usual cache, in the torch package of python3. Without any, what needs none still configures.
#
# usage: libtorch_places_test.sh PREFIX LIBTORCH_ROOT
set -euo pipefail
prefix="$1" libtorch="$2"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
touch plugin.cpp
cat > CMakeLists.txt << 'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(places VERSION 1.0 LANGUAGES CXX)
find_package(Mortise 0.2 CONFIG REQUIRED)
option(WITH_TORCH "" ON)
if(WITH_TORCH)
  mortise_add_plugin(places TORCH SOURCES plugin.cpp)
  message(STATUS "LibTorch is in ${LibTorch_FOLDER}")
else()
  mortise_add_plugin(places SOURCES plugin.cpp)
endif()
CMAKE
mkdir -p empty cache/mortise not_torch/torch/lib
ln -s "$libtorch" cache/mortise/libtorch-2.11.0

# configure NAME [VARIABLE=VALUE...] [-DNAME=VALUE...]: with no LibTorch to be found but what is said
configure() {
  local name="$1" environment=() options=()
  shift
  for word in "$@"; do
    if [[ "$word" == -D* ]]; then options+=("$word"); else environment+=("$word"); fi
  done
  env -u LIBTORCH_ROOT -u PYTHONPATH HOME="$work/empty" XDG_CACHE_HOME="$work/empty" PYTHONNOUSERSITE=1 \
    "${environment[@]}" cmake -S . -B "build_$name" -DMortise_DIR="$prefix/lib/cmake/Mortise" "${options[@]}" \
    > "$name.log" 2>&1
}
found_in() {
  grep -q "LibTorch is in $2" "$1.log" || { cat "$1.log"; echo "$1: not found in $2" >&2; exit 1; }
  echo "$1: $2"
}
refused() {
  for text in "${@:2}"; do
    # CMake breaks lines where it likes.
    tr -s ' \n' ' ' < "$1.log" | grep -qF "$text" || { cat "$1.log"; echo "$1: not said: $text" >&2; exit 1; }
  done
  echo "$1: refused"
}

configure option "-DLIBTORCH_ROOT=$libtorch" && found_in option "$libtorch/torch"
configure inner "-DLIBTORCH_ROOT=$libtorch/torch" && found_in inner "$libtorch/torch"
configure environment "LIBTORCH_ROOT=$libtorch" && found_in environment "$libtorch/torch"
configure cache "XDG_CACHE_HOME=$work/cache" && found_in cache "$work/cache/mortise/libtorch-2.11.0/torch"
configure python "PYTHONPATH=$libtorch" && found_in python "$libtorch/torch"

if python3 -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)'; then
  echo "python3 has a torch package of its own: what follows is left out"
  exit 0
fi
configure nowhere && { echo "found LibTorch where there is none" >&2; exit 1; }
refused nowhere "TORCH needs LibTorch" "set -DLIBTORCH_ROOT=" "pip install torch==2.11.0"
configure wrong "-DLIBTORCH_ROOT=$work/not_torch" && { echo "took a folder without LibTorch" >&2; exit 1; }
refused wrong "no torch/lib/libtorch_cpu.so in $work/not_torch"
configure torch_free -DWITH_TORCH=OFF || { cat torch_free.log; exit 1; }
echo "torch_free: configured"
