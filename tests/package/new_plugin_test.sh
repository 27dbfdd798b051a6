#!/usr/bin/env bash
# With nothing but an installed prefix: `plugin new` writes a project, `plugin build` builds it without
# a warning, its own tests pass, and a run uses it.
#
# usage: new_plugin_test.sh KIND PREFIX SOURCE_FOLDER
set -euo pipefail
kind="$1" prefix="$2" source="$3"
name="my_$kind"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME="$work/cache"
# Not of interest here, and what costs the time of the test.
export CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/ccache}" CCACHE_BASEDIR="$work"
command -v ccache > /dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
flags="-O0 -Wall -Wextra -Wpedantic -Wshadow -Woverloaded-virtual -Werror"

"$prefix/bin/mortise" plugin new --kind "$kind" "$name"
"$prefix/bin/mortise" plugin build "$name" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG="$flags"
ctest --test-dir "$name/build" --output-on-failure --no-tests=error

# The words of the template are gone, and the tree was not asked for anything.
if grep -rniE 'my_?plugin' "$name" --exclude-dir=build; then
  echo "words of the template are left" >&2
  exit 1
fi
if grep -rlE "$source/(sdk|host|plugins|packaging|tests)" "$name"; then
  echo "the build has looked into the source tree" >&2
  exit 1
fi

cd "$name"
if [[ "$kind" == command ]]; then
  "$prefix/bin/mortise" "$name" LICENSE --plugin build/lib/mortise/plugins/mortise_my_command.so | grep 'in all'
else
  "$prefix/bin/mortise" run "$name.yaml" 2> run.log || { cat run.log; exit 1; }
  grep -q "$name" runs/"$name"/config.yaml
  grep -c '"train/loss"' runs/"$name"/metrics.jsonl
fi
