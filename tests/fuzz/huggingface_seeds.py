"""Writes small files tokenizer.json for huggingface_fuzz to start from: python3 huggingface_seeds.py FOLDER

Those of tests/golden/tokenizers, and each with a tiny model in place of its own.
"""

import json
import sys
from pathlib import Path

BPE = {
    "type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
    "vocab": {token: id for id, token in enumerate(["a", "b", "ab", "abab", "<unk>", "\u0120", "\u2581", "<0x41>", " "])},
    "merges": ["a b", "ab ab"],
}
UNIGRAM = {
    "type": "Unigram", "unk_id": 0, "byte_fallback": True,
    "vocab": [["<unk>", 0], ["a", -1.5], ["b", -2], ["ab", -2], ["\u2581", -3], ["<0x41>", -4], ["\u0120", -2]],
}

golden = json.loads((Path(__file__).parent.parent / "golden/tokenizers/huggingface.json").read_text())
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for number, case in enumerate(golden["cases"]):
    keys = ["added_tokens", "normalizer", "pre_tokenizer", "decoder", "post_processor"]
    sections = {key: case[key] for key in keys if key in case}
    tiny = BPE if number % 2 else UNIGRAM
    for kind, model in [("whole", golden["models"][case["model"]]), ("tiny", tiny)]:
        file = {"version": "1.0", "truncation": None, "padding": None, **sections, "model": model}
        (folder / f"{kind}{number}").write_text(json.dumps(file, ensure_ascii=False, separators=(",", ":")))
