#!/usr/bin/env bash
# Prints the path of a Python that has what the tests need (packaging/test-requirements.txt, or the
# file that is named), in ${XDG_CACHE_HOME:-~/.cache}/mortise; makes it when it is not there.
set -euo pipefail
requirements="$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/test-requirements.txt}")"
cd "$(dirname "${BASH_SOURCE[0]}")"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/mortise"
folder="$cache/test-python-$(sha256sum < "$requirements" | cut -c 1-12)"

mkdir -p "$cache"
exec 9> "$cache/test-python.lock"
flock 9 # a second run waits for the first
if [[ ! -e "$folder/complete" ]]; then
  rm -rf "$folder"
  make=(python3 -m venv "$folder")
  install=("$folder/bin/pip" install --quiet --no-deps --disable-pip-version-check --requirement "$requirements")
  { "${make[@]}" && "${install[@]}"; } >&2 || {
    echo "failed. By hand, in $PWD: ${make[*]} && ${install[*]}" >&2
    exit 1
  }
  touch "$folder/complete"
fi
echo "$folder/bin/python"
