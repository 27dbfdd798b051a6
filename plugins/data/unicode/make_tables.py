#!/usr/bin/env python3
"""Writes tables.cpp from the Unicode Character Database of Debian's package unicode-data.

usage: make_tables.py [FOLDER] > tables.cpp     (FOLDER: default /usr/share/unicode)
"""
import pathlib
import re
import sys

CATEGORIES = ("Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po "
              "Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co").split()
WHITE_SPACE, ALPHABETIC = 0x20, 0x40
BLOCK = 128


def ranges(file: pathlib.Path, wanted: str):
    for line in file.read_text(encoding="utf-8").splitlines():
        match = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w+)", line)
        if match and match.group(3) == wanted:
            first = int(match.group(1), 16)
            yield from range(first, int(match.group(2) or match.group(1), 16) + 1)


def properties(folder: pathlib.Path) -> list[int]:
    table = [0] * 0x110000
    first = None
    for line in (folder / "UnicodeData.txt").read_text(encoding="utf-8").splitlines():
        code, name, category = line.split(";")[:3]
        code = int(code, 16)
        if name.endswith(", First>"):
            first = code
            continue
        for c in range(first if name.endswith(", Last>") else code, code + 1):
            table[c] = CATEGORIES.index(category)
    for c in ranges(folder / "PropList.txt", "White_Space"):
        table[c] |= WHITE_SPACE
    for c in ranges(folder / "DerivedCoreProperties.txt", "Alphabetic"):
        table[c] |= ALPHABETIC
    return table


def rows(values: list[int], columns: int):
    for i in range(0, len(values), columns):
        yield "    " + ", ".join(str(v) for v in values[i : i + columns]) + ","


def main(folder: pathlib.Path):
    version = re.search(r"-(\d+\.\d+\.\d+)\.txt", (folder / "PropList.txt").read_text()).group(1)
    table = properties(folder)
    blocks, index = {}, []
    for i in range(0, len(table), BLOCK):
        index.append(blocks.setdefault(tuple(table[i : i + BLOCK]), len(blocks)))
    assert len(blocks) <= 256
    print(f"""// Written by make_tables.py from unicode-data {version}.

#include "tables.hpp"

namespace mortise::unicode {{

// clang-format off
const std::uint8_t kBlockOf[] = {{""")
    print("\n".join(rows(index, 32)))
    print(f"}};\n\nconst std::uint8_t kBlocks[][{BLOCK}] = {{")
    for block in blocks:
        print("  {\n" + "\n".join(rows(block, 32)) + "\n  },")
    print("};\n// clang-format on\n\n}  // namespace mortise::unicode")


main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode"))
