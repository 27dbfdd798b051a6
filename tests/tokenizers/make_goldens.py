#!/usr/bin/env python3
"""Writes vectors/botchan_*.out: ids of sentencepiece 0.2.3 for llama.cpp's 46 texts.

usage: $(packaging/test_python.sh tests/tokenizers/requirements.txt) tests/tokenizers/make_goldens.py
"""
import pathlib

import sentencepiece

from reference_texts import vector_texts

here = pathlib.Path(__file__).resolve().parent
assert sentencepiece.__version__ == "0.2.3", sentencepiece.__version__
for name in ("botchan_en_bpe_1000", "botchan_en_unigram_1000"):
    model = sentencepiece.SentencePieceProcessor(model_file=str(here / f"models/{name}.model"))
    lines = [" ".join(map(str, model.encode(text))) for text in vector_texts("gpt-2")]
    (here / f"vectors/{name}.out").write_text("\n".join(lines) + "\n")
