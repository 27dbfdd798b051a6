#!/usr/bin/env bash
# Installs and builds what is missing and runs every test that needs no GPU. ctest has the last word.
#
#   packaging/test.sh              format check, then preset release
#   packaging/test.sh --sanitize   preset asan: addresses and undefined behaviour (unit, contract, probes)
#   packaging/test.sh --threads    preset tsan: data races (loading, distributed)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

presets=(release)
case "${1:-}" in
  "") ;;
  --sanitize) presets=(asan) ;;
  --threads) presets=(tsan) ;;
  *) echo "usage: packaging/test.sh [--sanitize | --threads]" >&2; exit 2 ;;
esac

check_format() {
  if ! command -v clang-format > /dev/null; then
    echo "==> format check left out: no clang-format"
  elif ! git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
    echo "==> format check left out: $PWD is no git checkout"
  else
    echo "==> format check"
    git ls-files -z '*.hpp' '*.cpp' '*.h' | xargs -0 --no-run-if-empty clang-format --dry-run -Werror || {
      echo "failed. By hand, in $PWD: git ls-files '*.hpp' '*.cpp' '*.h' | xargs clang-format -i" >&2
      exit 1
    }
  fi
}

packaging/install.sh
packaging/test_python.sh > /dev/null
check_format
for preset in "${presets[@]}"; do
  packaging/build.sh "$preset"
done

# Printed first, because nothing may follow what ctest says at its end.
for preset in "${presets[@]}"; do
  test=(ctest --preset "$preset" --parallel "$(nproc)")
  echo "==> ${test[*]} (by hand: the same, in $PWD)"
  "${test[@]}"
done
