#!/usr/bin/env bash
# The whole comparison: makes what is missing in ${XDG_CACHE_HOME:-~/.cache}/mortise (about 160 MB to fetch,
# packages of Debian through apt-get), then runs exactness.py.
#
#   exactness_test.sh TOKENIZER_IDS [OPTION of exactness.py]...
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/mortise"
python="$("$here/../../packaging/test_python.sh" "$here/requirements.txt")"

# once COMMAND… FOLDER: fills FOLDER, once for each version of the scripts.
once() {
  local folder="${*: -1}"
  [[ -e "$folder/complete" ]] && return
  rm -rf "$folder"
  mkdir -p "$folder"
  "$@" > "$folder.log" || { cat "$folder.log"; exit 1; }
  touch "$folder/complete"
}
version() { cat "$@" | sha256sum | cut -c 1-12; }

tokenizers="$cache/tokenizers-$(version "$here"/{make_tokenizers,fetch}.py)"
corpora="$here/../corpora"
text="$cache/corpora-$(version "$corpora"/*.py)"
once "$python" "$here/make_tokenizers.py" "$tokenizers"
once "$python" "$corpora/assemble_multilingual.py" --out "$text-multilingual"
once "$python" "$corpora/assemble_corpus.py" --set small --out "$text-small"

program="$1"
shift
exec "$python" "$here/exactness.py" "$program" "$tokenizers" \
  --corpus "multilingual=$text-multilingual/multilingual.jsonl" --corpus "small=$text-small/corpus.jsonl" "$@"
