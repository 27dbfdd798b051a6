#!/usr/bin/env bash
# In the installed program the plugin sentencepiece takes the library beside it, and none of that
# library's symbols is bound to LibTorch's of the same name.
#
#   sentencepiece_library_test.sh PREFIX MODEL
set -euo pipefail
prefix="$1" model="$2"
ours=libmortise_sentencepiece.so.0

bindings="$(LD_DEBUG=bindings "$prefix/bin/mortise" data encode \
  --tokenizer "{use: sentencepiece, file: '$model'}" "Hello" 2>&1)"
of_library="$(grep -E "binding file [^ ]*/$ours " <<< "$bindings")"

grep -qF "binding file $prefix/lib/mortise/plugins/$ours " <<< "$of_library" ||
  { echo "the library is not the one beside the plugin"; exit 1; }
grep -qE "to [^ ]*/$ours .*FLAGS_minloglevel" <<< "$of_library" ||
  { echo "FLAGS_minloglevel of the library is not bound to itself"; exit 1; }
# LibTorch shows functions of libstdc++ too, which are the same ones everywhere.
if foreign="$(grep -E "to [^ ]*/lib(torch|c10)[^ ]*\.so" <<< "$of_library" | grep -vF "[GLIBCXX_")"; then
  echo "symbols of the library that are bound to LibTorch:"
  echo "$foreign"
  exit 1
fi
