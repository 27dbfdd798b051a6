"""`data index` against Python: lines found by splitting the bytes, the list written by pickle.

usage: data_index_test.py MORTISE
"""
import json
import pathlib
import pickle
import random
import subprocess
import sys
import tempfile

MORTISE = sys.argv[1]


def run(*arguments):
    return subprocess.run([MORTISE, "data", "index", *map(str, arguments)], capture_output=True, text=True)


def expected(data: bytes) -> bytes:
    """As Modalities writes it: (offset, bytes without the line feed) of each line, as one pickle."""
    entries, offset = [], 0
    for line in data.split(b"\n"):
        if line.strip(b" \t\r"):
            entries.append((offset, len(line)))
        offset += len(line) + 1
    return pickle.dumps(entries, protocol=4)


def some_records(random_: random.Random, count: int) -> bytes:
    return b"".join(b'{"text": "' + b"x" * int(random_.paretovariate(0.7)) + b'"}\n' for _ in range(count))


def check_equal(folder: pathlib.Path) -> None:
    random_ = random.Random(5)
    record = b'{"text": "a"}'
    cases = {
        "one": record, "one_ended": record + b"\n", "two": record + b"\n" + record,
        "crlf": record + b"\r\n" + record + b"\r\n", "blank": b"\n\n" + record + b"\n \t\r\n" + record + b"\n\n",
        "bom": b"\xef\xbb\xbf" + record + b"\n" + record, "separators": '{"text": "a\u2028b\u0085"}\n'.encode() * 3,
        "broken_json": b"{\n}\n", "long": record + b"\n" + b"y" * 5_000_000 + b"\n" + record,
    }
    for count in (999, 1000, 1001, 2000, 2001, 100_000):
        cases[f"records_{count}"] = some_records(random_, count)
    for name, data in cases.items():
        source, index = folder / f"{name}.jsonl", folder / f"{name}.idx"
        source.write_bytes(data)
        for workers in (1, 8) if name in ("long", "records_100000") else (0,):
            result = run(source, "--overwrite", "--workers", workers)
            assert result.returncode == 0, (name, result.stderr)
            assert index.read_bytes() == expected(data), (name, workers)


def check_result(folder: pathlib.Path) -> None:
    source, out = folder / "r.jsonl", folder / "r.index"
    source.write_bytes(b'{"a": 1}\n\n{"a": 22}\n')
    result = run(source, "-o", out, "--json")
    facts = json.loads(result.stdout.splitlines()[-1])
    assert facts["type"] == "result" and facts["documents"] == 2 and facts["blank_lines"] == 1
    assert facts["longest_record"] == 9 and facts["file"] == str(out)
    again = run(source, "-o", out)
    assert again.returncode == 2 and "is there already" in again.stderr, again
    assert out.read_bytes() == expected(source.read_bytes())


def check_refused(folder: pathlib.Path) -> None:
    import gzip

    (folder / "e.jsonl").write_bytes(b"\n\n")
    (folder / "z.jsonl").write_bytes(gzip.compress(b"{}\n"))
    for name, code, text in (("e.jsonl", 4, "no records"), ("z.jsonl", 4, "is compressed"),
                             ("none.jsonl", 4, "No such file"), (".", 4, "is a folder")):
        result = run(folder / name, "-o", folder / "never.idx")
        assert result.returncode == code and text in result.stderr, (name, result)
    assert not list(folder.glob("never*")) and not list(folder.glob("*.partial"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        check_equal(pathlib.Path(scratch))
        check_result(pathlib.Path(scratch))
        check_refused(pathlib.Path(scratch))
    print("indexes are those of Python's pickle")
