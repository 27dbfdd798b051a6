#!/usr/bin/env bash
# From a fresh machine to a trained model: installs what is missing, builds, trains a small model on
# Shakespeare with two ranks and says where everything is. Safe to run again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/step.sh

mortise=build/release/bin/mortise
config=configs/shakespeare/shakespeare.yaml

packaging/build.sh release
step "$mortise" run "$config" -n 2
