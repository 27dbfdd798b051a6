#!/usr/bin/env bash
# Gets LibTorch: unpacks the wheels pinned in packaging/python-requirements.txt into
# ${XDG_CACHE_HOME:-~/.cache}/mortise/libtorch-VERSION. A complete folder is taken as it is.
#
#   packaging/libtorch.sh          what a CPU build needs (a download of about 530 MB)
#   packaging/libtorch.sh --cuda   adds the NVIDIA libraries that a GPU needs (about 2 GB more)
set -euo pipefail
requirements="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/python-requirements.txt"

with_cuda=no
case "${1:-}" in
  "") ;;
  --cuda) with_cuda=yes ;;
  *) echo "usage: packaging/libtorch.sh [--cuda]" >&2; exit 2 ;;
esac

version="$(sed -n 's/^torch==//p' "$requirements")"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/mortise"
folder="$cache/libtorch-$version"
wheels="$cache/libtorch-$version.wheels"

fail() {
  echo "LibTorch: $1" >&2
  exit 1
}

# The first Python that has pip; its own version does not matter.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -m pip --version > /dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  fail "no python3 with pip. By hand, as root: apt-get install python3 python3-pip"
}

# download [--no-deps] REQUIREMENT...: wheels for Python 3.11 on Linux, whichever Python runs pip.
download() {
  local python glibc
  python="$(find_python)"
  local command=("$python" -m pip download --dest "$wheels" --no-cache-dir --disable-pip-version-check
    --only-binary=:all: --implementation cp --python-version 3.11 --abi cp311)
  # pip takes a wheel for an older glibc only when that one is named too.
  for ((glibc = 28; glibc >= 5; --glibc)); do command+=(--platform "manylinux_2_${glibc}_x86_64"); done
  command+=(--platform manylinux2014_x86_64)
  command+=("$@")
  echo "LibTorch: ${command[*]}"
  "${command[@]}" || fail "the download failed. By hand: ${command[*]}; then packaging/libtorch.sh again"
}

# unpack FOLDER WHEEL...
unpack() {
  local target="$1" wheel
  shift
  for wheel in "$@"; do
    echo "LibTorch: unpacking ${wheel##*/}"
    "$(find_python)" -m zipfile -e "$wheel" "$target" || fail "could not unpack $wheel into $target"
  done
}

is_complete() {
  [[ -f "$folder/torch/lib/libtorch_cpu.so" && -f "$folder/nvidia/cu13/lib/libcudart.so.13" &&
    -f "$folder/nvidia/cu13/lib/libcupti.so.13" ]]
}

get_cpu() {
  local pins
  mapfile -t pins < <(grep -E '^(torch|nvidia-cuda-runtime|nvidia-cuda-cupti)==' "$requirements")
  download --no-deps "${pins[@]}"
  rm -rf "$folder.partial" "$folder"
  mkdir "$folder.partial"
  unpack "$folder.partial" "$wheels"/*.whl
  mv "$folder.partial" "$folder"
  rm -rf "$wheels"
  is_complete || fail "$folder lacks libraries that it should have: remove it and run packaging/libtorch.sh again"
}

# What torch itself asks for, without what is there already. Unpacked over the folder; the mark comes
# last, so an interrupted run starts this part again and a CPU build works all the while.
get_cuda() {
  local pins wheel chosen=()
  mapfile -t pins < <(sed -n -E 's/^Requires-Dist: ((nvidia-|cuda-toolkit)[^;]*).*/\1/p' \
    "$folder/torch-$version.dist-info/METADATA")
  download "${pins[@]}"
  for wheel in "$wheels"/*.whl; do
    case "${wheel##*/}" in
      nvidia_cuda_runtime-* | nvidia_cuda_cupti-*) ;;
      *) chosen+=("$wheel") ;;
    esac
  done
  unpack "$folder" "${chosen[@]}"
  touch "$folder/cuda.complete"
  rm -rf "$wheels"
}

[[ "$(uname -sm)" == "Linux x86_64" ]] || fail "only Linux on x86_64 is supported, this is $(uname -sm)"
mkdir -p "$cache"
exec 9> "$cache/libtorch.lock"
flock 9 # a second run waits for the first

if ! is_complete; then
  mkdir -p "$wheels"
  get_cpu
fi
if [[ "$with_cuda" == yes && ! -f "$folder/cuda.complete" ]]; then
  mkdir -p "$wheels"
  get_cuda
fi
echo "LibTorch: $folder"
