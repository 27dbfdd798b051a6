#!/usr/bin/env bash
# Installs the system packages of packaging/apt-packages.txt that are missing; nothing else changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t wanted < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' packaging/apt-packages.txt)

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
  echo "packages: no apt-get here, nothing installed. Mortise needs what Debian 12 calls: ${wanted[*]}"
  exit 0
fi

is_installed() {
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null)" == installed* ]]
}

missing=()
for package in "${wanted[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "packages: all ${#wanted[@]} are installed"
  exit 0
fi

as_root=()
if ((EUID != 0)); then as_root=(sudo); fi

echo "packages: installing ${missing[*]}"
"${as_root[@]}" apt-get update || echo "packages: the lists could not be renewed, going on with the old ones"
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y --no-install-recommends "${missing[@]}"; then
  echo "packages: could not be installed. By hand, as root: apt-get update && apt-get install ${missing[*]}" >&2
  exit 1
fi
