"""The schema for editors knows a good run file from a bad one: editor_schema_test.py PROGRAM SOURCE BUILD

A validator that is not ours judges shown and shipped files, which are good, and the files of
tests/fixtures/config whose mistake an editor can see.
"""

import json
import pathlib
import subprocess
import sys

import jsonschema
import yaml

from pages import blocks, fail, pages

program, source, build = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
shown_plugin = f"{build}/tests/plugins/mortise_warmup_example.so"
said = subprocess.run([program, "config", "schema", "--plugin", shown_plugin], capture_output=True, text=True, check=True).stdout
schema = json.loads(said)
jsonschema.Draft7Validator.check_schema(schema)
judge = jsonschema.Draft7Validator(schema)


def faults(text):
    return [error.json_path for error in judge.iter_errors(yaml.safe_load(text))]


problems = []
good = {str(file): file.read_text() for file in source.glob("configs/*/*.yaml")}
good["tiny.yaml"] = (source / "tests/fixtures/runs/tiny.yaml").read_text()
good |= {block.place(): block.text for page in pages(source) for block in blocks(page)
         if block.language == "yaml"}
good["every form"] = """
mortise: 1
include: [a.yaml]
plugins: [folder]
run: {tokens: 20B, stop_after: 23h30m, seed: "${env:SEED}", timeout: null}
gradients: {norm: 2, clip_norm: 1e-4}
recompute: {every: 2}
model: {width: 1_024}
data: {shuffle: {use: keyed_permutation}, train: {use: text, files: [a.txt], tokenizer: {ref: tokenizer}}}
optimizer: [{use: org.mortise.adamw:adamw, name: rest, learning_rate: .5}]
eval: {every: 1B tokens, sets: {wiki: {use: packed_tokens, files: "${env:DATA}/wiki.pbin"}}}
log: {sinks: jsonl}
"""
problems += [f"{name}: {fault} is a fault for the schema" for name, text in good.items() for fault in faults(text)]

bad = ["misspelt_key", "misspelt_deep_inside", "unknown_section", "wrong_choice", "unknown_component",
       "list_for_scalar", "out_of_range", "later_version", "ref_with_settings"]
for name in bad:
    if not faults((source / f"tests/fixtures/config/{name}.yaml").read_text()):
        problems.append(f"{name}.yaml is no fault for the schema")
if len(good) < 6:
    problems.append("too few good files are found")
fail(problems)
