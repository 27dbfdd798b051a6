#!/usr/bin/env bash
# From a fresh machine to a trained model: installs what is missing, builds, trains a small model on
# Shakespeare with two ranks, evaluates it and lets it write. Safe to run again: it goes on where it
# was, and trains nothing twice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/step.sh

mortise=build/release/bin/mortise
config=configs/shakespeare/shakespeare.yaml
run=runs/shakespeare

packaging/build.sh release mortise mortise_plugins

step "$mortise" run "$config" -n 2 # goes on where it stopped; done already: says so

loss=$(python3 -c '
import json, sys
losses = [r["eval/held_out/loss"] for r in map(json.loads, open(sys.argv[1])) if "eval/held_out/loss" in r]
print(f"{losses[-1]:.3f}")' "$run/metrics.jsonl")
read -r unigram bigram < <(python3 configs/shakespeare/baselines.py configs/shakespeare/shakespeare.txt 5)

echo
step "$mortise" generate "$run" --prompt "ROMEO:" --tokens 300
cat << TEXT

Held-out loss: $loss nats per byte. Counting bytes alone gives $unigram, counting pairs of bytes $bigram.

  $run/checkpoints     weights and optimizer state, safetensors
  $run/metrics.jsonl   every logged number
  $run/config.yaml     the whole configuration, with the origin of each value

Try next:
  $mortise generate $run --prompt "HAMLET:" --temperature 0.6 --seed 7
  $mortise run $config -n 2 --set run.name=low_rate --set optimizer.learning_rate=3e-4
  $mortise config show $config
TEXT
