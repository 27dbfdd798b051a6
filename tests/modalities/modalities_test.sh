#!/usr/bin/env bash
# usage: modalities_test.sh MORTISE DATASET_SAMPLES
set -euo pipefail
here="$(dirname "${BASH_SOURCE[0]}")"
python="$("$here/../../packaging/test_python.sh" "$here/requirements.txt")"
exec "$python" "$here/modalities_test.py" "$@"
