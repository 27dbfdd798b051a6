#!/usr/bin/env bash
# Installs to a prefix, builds the README's plugin outside the tree and trains with it on the
# installed program.
#
# usage: outside_plugin_test.sh BUILD_FOLDER SOURCE_FOLDER LIBTORCH_ROOT
set -euo pipefail
build="$1" source="$2" libtorch="$3"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" > "$work/install.log"

mkdir "$work/cooldown"
cp "$source/tests/documentation/cooldown.cpp" "$work/cooldown/"
cat > "$work/cooldown/CMakeLists.txt" << 'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(cooldown LANGUAGES CXX)
find_package(Mortise 0.2 CONFIG REQUIRED)
mortise_add_plugin(cooldown SOURCES cooldown.cpp)
CMAKE
cmake -S "$work/cooldown" -B "$work/cooldown/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DLIBTORCH_ROOT="$libtorch" > "$work/configure.log"
cmake --build "$work/cooldown/build" > "$work/build.log"
plugin="$(find "$work/cooldown/build" -name 'mortise_cooldown.so')"

cd "$work"
printf 'to be or not to be, that is the question. %.0s' {1..50} > text.txt
cat > run.yaml << 'YAML'
mortise: 1
run: {name: outside, steps: 10}
batch: {sequences: 2, sequence_length: 16}
tokenizer: byte
data: {train: {use: text, files: text.txt, cache: cache}}
model: {use: llama, width: 16, layers: 1, heads: 2}
optimizer: {use: adamw, learning_rate: 1e-3}
schedule: {use: cooldown, length: 50%}
log: {every: 1}
YAML
"$work/prefix/bin/mortise" plugin inspect "$plugin" > inspect.txt
"$work/prefix/bin/mortise" run run.yaml --plugin "$plugin" 2> log.txt || { cat log.txt; exit 1; }
python3 - << 'PYTHON'
import json
rates = [r["train/learning_rate"] for r in map(json.loads, open("runs/outside/metrics.jsonl")) if "train/learning_rate" in r]
expected = [1e-3 * min(1.0, (10 - step) / 5) for step in range(10)]
assert len(rates) == 10 and all(abs(a - b) < 1e-12 for a, b in zip(rates, expected)), (rates, expected)
print("learning rates of the plugin outside the tree:", rates[-3:])
PYTHON
