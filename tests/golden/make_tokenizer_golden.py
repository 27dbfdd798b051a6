#!/usr/bin/env python3
"""Writes what Hugging Face's tokenizers makes of small tokenizer.json files, one for each thing that a
file may ask for: ids without special tokens, and the text that they decode to.

usage: make_tokenizer_golden.py > tests/golden/tokenizers/huggingface.json     (needs tokenizers==0.23.3)

The models are trained on the texts below without cutting them into words, so that a word that is cut
otherwise has other ids.
"""
import json
import sys

import tokenizers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = ("[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
            " ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+")
TEXTS = [
    "", " ", "  ", "a", " a", "a ", "hello world", "Hello  World", "   leading", "trailing   ", "\n", "\n\n\n a",
    "a\n\n  b", "tabs\t\tand\r\nlines \n \n", "I'm sure it's you'll they've WE'RE I'D 'S", "it\u2019s", "'\u017fa",
    "3333333 1234567 3.14 1,000", "\u00b2\u00b3\u00b9 \u216b \u0661\u0662\u0663 \u00bd", "wait...what?! (yes) [no] {ok} <a>",
    "$5 + 3% = #1 & @x_y-z ~`^|\\/\"", "na\u00efve caf\u00e9 r\u00e9sum\u00e9", "e\u0301a\u0301 n\u0303", "\u1100\u1161\u11a8 \uac01",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!", "\u4f60\u597d\u4e16\u754c \u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3002", "\ud55c\uad6d\uc5b4 \uc548\ub155",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u0928\u092e\u0938\u094d\u0924\u0947", "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645", "\U0001f999\U0001f600\U0001f469\u200d\U0001f469\u200d\U0001f467 !", "\ufb01\uff46\uff55\uff4c\uff4c \uff12 \u2460 \u3000x",
    "\u00a0nbsp\u2003em\u2028line\u0085next\u200bzero\u180e", "\u2581meta \u2581\u2581 space\u2581", "x" * 40 + " " * 20 + "y" * 7,
    "<s>hi</s>", "a<|end|>b", "<|end|><|end|>", " <|end|> ", "text <mask> more", "text<mask>more", "x  <mask>  y",
    "word words sword word.", "WORD Word", "[SEP] [sep]", "ab abc abcd abcde", "\u0130stanbul I\u0307", "\u00dfSS \u03a3\u03c3\u03c2",
    "<0x41> <0x0A>", "\u0000\u0001\u007f", "\ufeffbom", "a\u0300\u0316b\u0316\u0300", "2^10==1024; f(x)=x*x;\n\treturn x;\n}",
    "http://example.org/path?q=1&r=2#top", "hello hello", "hello[END]hello", "world hello", "    hello", "hello    ", "h\ni",
]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


def trained(pre_tokenizer, size, **options):
    tokenizer = Tokenizer(models.BPE(**options))
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    special = ["<unk>"] if options.get("unk_token") else []
    alphabet = pre_tokenizers.ByteLevel.alphabet() if pre_tokenizer else [
        c for c in map(chr, range(32, 127)) if c not in "Q~"] + ["\u2581", "\n"]
    tokenizer.train_from_iterator(
        TEXTS * 3, trainers.BpeTrainer(vocab_size=size, min_frequency=2, initial_alphabet=sorted(alphabet),
                                       limit_alphabet=len(alphabet) + 20, special_tokens=special, show_progress=False))
    return json.loads(tokenizer.to_str())["model"]


def with_bytes(model):
    for byte in range(256):
        model["vocab"].setdefault(f"<0x{byte:02X}>", len(model["vocab"]))
    return model | {"byte_fallback": True, "fuse_unk": True}


def vocabulary_a():
    """The vocabulary of cases T-01 to T-05: bytes, a few merges, `world` that no merge makes."""
    letters = [c for c in range(256)]
    plain = [c for c in letters if 33 <= c <= 126 or 161 <= c <= 172 or c >= 174]
    others = iter(range(256, 512))
    symbol = {c: chr(c) if c in plain else None for c in letters}
    symbol = {c: s or chr(next(others)) for c, s in symbol.items()}
    vocab = {symbol[c]: c for c in letters}
    merges = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("\u0120", "hello"), ("3", "3"), ("33", "3"),
              ("\u0120", "\u0120"), ("\u0120\u0120", "\u0120\u0120")]
    for left, right in merges:
        vocab[left + right] = len(vocab)
    vocab["world"] = 265
    return {"type": "BPE", "vocab": vocab, "merges": [list(pair) for pair in merges]}


def unigram():
    pieces = [["<unk>", 0.0], ["\u2581", -2.5], [" ", -2.5]]
    words = sorted({w for t in TEXTS for w in t.split()}, key=lambda w: (len(w), w))
    pieces += [[c, -6.0 - i / 64] for i, c in enumerate("abcdefghijklmnopqrstuvwxyz0123456789.,'HWI")]
    pieces += [["\u2581" + w, -8.0 - i / 32] for i, w in enumerate(words) if len(w) > 2][:60]
    return {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": False}


def added(content, **flags):
    return {"id": 0, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": True} | flags


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def byte_level(**options):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False} | options


def sequence(*steps, key="pretokenizers"):
    return {"type": "Sequence", key: list(steps)}


def replace(old, new):
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


BYTES_DECODER = byte_level(add_prefix_space=True, use_regex=True)
LLAMA_DECODER = sequence(replace("\u2581", " "), {"type": "ByteFallback"}, {"type": "Fuse"},
                         {"type": "Strip", "content": " ", "start": 1, "stop": 0}, key="decoders")
METASPACE = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
LLAMA = sequence({"type": "Prepend", "prepend": "\u2581"}, replace(" ", "\u2581"), key="normalizers")
TOKENS = [added("<s>"), added("</s>"), added("<|end|>")]
FLAGS = [added("<mask>", lstrip=True), added("<|end|>", rstrip=True), added("word", single_word=True, special=False),
         added("[SEP]", normalized=True), added("abc", special=False), added("abcd", special=False, normalized=True)]


def cases():
    def case(name, model, pre=None, normalizer=None, tokens=(), decoder=BYTES_DECODER, **more):
        return {"name": name, "model": model, "pre_tokenizer": pre, "normalizer": normalizer,
                "added_tokens": list(tokens), "decoder": decoder} | more

    yield case("gpt2", "bytes", byte_level(use_regex=True), tokens=TOKENS)
    yield case("prefix blank", "bytes", byte_level(use_regex=True, add_prefix_space=True), tokens=TOKENS)
    yield case("bytes uncut", "bytes", byte_level())
    yield case("ignore merges", "ignoring", sequence(split(LLAMA3), byte_level()), tokens=TOKENS)
    yield case("llama 3", "bytes", sequence(split(LLAMA3), byte_level()))
    yield case("llama 3, removed and inverted", "bytes", sequence(split(LLAMA3, "Removed", True), byte_level()))
    yield case("deepseek", "bytes", sequence(split(r"\p{N}{1,3}"), split("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"),
                                             split(DEEPSEEK), byte_level()))
    yield case("starcoder", "bytes", sequence({"type": "Digits", "individual_digits": True}, byte_level(use_regex=True)))
    yield case("falcon", "bytes", sequence(
        {"type": "Punctuation", "behavior": "Contiguous"}, byte_level(use_regex=True),
        {"type": "Digits", "individual_digits": False}, split("[0-9][0-9][0-9]")))
    yield case("gpt-neox", "bytes", byte_level(use_regex=True), {"type": "NFC"}, [added("  ", special=False, normalized=True)] + TOKENS)
    for behavior in BEHAVIORS:
        for invert in (False, True):
            yield case(f"split {behavior} {invert}", "bytes", sequence(split(r"\s+|[aeiou]", behavior, invert), byte_level()))
            yield case(f"literal {behavior} {invert}", "bytes",
                       sequence(split("l", behavior, invert, "String"), byte_level()))
        yield case(f"punctuation {behavior}", "bytes", sequence({"type": "Punctuation", "behavior": behavior}, byte_level()))
    yield case("empty matches", "bytes", sequence(split(r"l*", "MergedWithPrevious"), byte_level()))
    yield case("words", "bytes", sequence(split(r"\w+|\S|^\n|\d$"), byte_level()))
    yield case("whitespace", "bytes", sequence({"type": "Whitespace"}, byte_level()))
    yield case("whitespace split", "bytes", sequence({"type": "WhitespaceSplit"}, byte_level()))
    yield case("letters cut", "bytes", sequence(byte_level(), {"type": "Digits", "individual_digits": True}))
    yield case("digits", "characters", {"type": "Digits", "individual_digits": False}, decoder=None)
    for scheme in ("always", "first", "never"):
        for cut in (True, False):
            pre = METASPACE | {"prepend_scheme": scheme, "split": cut}
            yield case(f"metaspace {scheme} {cut}", "characters", pre, tokens=TOKENS, decoder=pre)
    yield case("old metaspace", "characters", {"type": "Metaspace", "replacement": "_", "add_prefix_space": True, "str_rep": "_"},
               decoder={"type": "Metaspace", "replacement": "_", "add_prefix_space": True})
    yield case("metaspace after words", "characters", sequence({"type": "WhitespaceSplit"}, METASPACE | {"prepend_scheme": "first"}),
               decoder=METASPACE)
    yield case("llama 2", "fallback", normalizer=LLAMA, tokens=TOKENS, decoder=LLAMA_DECODER)
    yield case("unknown fused", "fused", normalizer=LLAMA, decoder=LLAMA_DECODER)
    yield case("unknown", "characters", decoder={"type": "Fuse"})
    yield case("nothing for unknown", "nameless", decoder=None)
    yield case("unigram", "unigram", METASPACE, decoder=METASPACE, tokens=TOKENS)
    yield case("unigram of bytes", "unigram", byte_level(use_regex=True))
    for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase"):
        yield case(name, "bytes", byte_level(use_regex=True), {"type": name}, FLAGS)
    yield case("strip", "bytes", byte_level(use_regex=True), {"type": "Strip", "strip_left": True, "strip_right": False}, FLAGS)
    yield case("regex replaced", "bytes", byte_level(use_regex=True),
               {"type": "Replace", "pattern": {"Regex": r" {2,}"}, "content": "\u2581"})
    yield case("flags", "bytes", byte_level(use_regex=True), tokens=FLAGS)
    yield case("flags, lowercased", "characters", METASPACE, sequence({"type": "NFKC"}, {"type": "Lowercase"}, key="normalizers"), FLAGS,
               METASPACE)
    yield case("both sides", "bytes", byte_level(use_regex=True),
               tokens=[added("<mask>", lstrip=True, rstrip=True), added("<|end|>", lstrip=True, rstrip=True),
                       added("  ", special=False)])
    yield case("stripped", "characters", METASPACE,
               decoder=sequence(replace("\u2581", " "), {"type": "Strip", "content": "l", "start": 2, "stop": 0}, key="decoders"))
    yield case("regex decoder", "characters", decoder={"type": "Replace", "pattern": {"Regex": "[aeiou]+"}, "content": "*"})
    yield case("A", "a", byte_level(use_regex=True), tokens=[added("[END]")])
    yield case("A, llama 3", "a", sequence(split(LLAMA3), byte_level()), tokens=[added("[END]")])
    yield case("A, ignore merges", "a ignoring", sequence(split(LLAMA3), byte_level()), tokens=[added("[END]")])
    yield case("A, template", "a", byte_level(use_regex=True), tokens=[added("[END]")], post_processor={
        "type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[END]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"[END]": {"id": "[END]", "ids": [266], "tokens": ["[END]"]}}})


def tokenizer_json(case, model):
    keys = ("added_tokens", "normalizer", "pre_tokenizer", "decoder", "post_processor")
    return {"version": "1.0", "truncation": None, "padding": None, "model": model} | {k: case.get(k) for k in keys}


def main():
    bytes_model = trained(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False), 700)
    characters = trained(None, 360, unk_token="<unk>")
    small = {
        "bytes": bytes_model,
        "ignoring": bytes_model | {"ignore_merges": True, "vocab": bytes_model["vocab"] | {
            "\u0120World": len(bytes_model["vocab"]), "leading": len(bytes_model["vocab"]) + 1}},
        "characters": characters,
        "nameless": characters | {"unk_token": None},
        "fused": characters | {"fuse_unk": True},
        "fallback": with_bytes(json.loads(json.dumps(characters))),
        "unigram": unigram(),
        "a": vocabulary_a(),
        "a ignoring": vocabulary_a() | {"ignore_merges": True},
    }
    done = []
    for case in cases():
        tokenizer = Tokenizer.from_str(json.dumps(tokenizer_json(case, small[case["model"]])))
        ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in TEXTS]
        done.append(case | {"ids": ids, "decoded": [tokenizer.decode(i) for i in ids]})
    golden = {"made with": {"tokenizers": tokenizers.__version__, "python": sys.version.split()[0]},
              "texts": TEXTS, "models": small, "cases": done}
    lines = [f"{json.dumps(k)}: " + (json.dumps(v) if k != "cases" else "[\n" + ",\n".join(map(json.dumps, v)) + "\n]")
             for k, v in golden.items()]
    print("{\n" + ",\n".join(lines) + "\n}")


main()
