# shellcheck shell=bash
# Sourced by the scripts beside it.

# step COMMAND...: prints the command, runs it, and on failure says how to repeat it alone.
step() {
  echo "==> $*"
  "$@" || {
    echo "failed. By hand, in $PWD: $*" >&2
    exit 1
  }
}
