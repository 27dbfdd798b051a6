#!/usr/bin/env bash
# Installs what is missing, gets LibTorch, configures and builds one preset (default: release):
# the targets that are named, or all.
# Shared by quickstart.sh and test.sh. An own LibTorch: LIBTORCH_ROOT=/folder packaging/build.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/step.sh
preset="${1:-release}"
targets=("${@:2}")

packaging/install.sh
configure=(cmake --preset "$preset")
if [[ -n "${LIBTORCH_ROOT:-}" ]]; then
  configure+=("-DLIBTORCH_ROOT=$LIBTORCH_ROOT")
else
  packaging/libtorch.sh
fi
step "${configure[@]}"
build=(cmake --build --preset "$preset" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}")
if ((${#targets[@]} > 0)); then build+=(--target "${targets[@]}"); fi
step "${build[@]}"
