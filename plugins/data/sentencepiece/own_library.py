#!/usr/bin/env python3
"""Copies a shared library so that it finds its own symbols first (DT_SYMBOLIC), under another name.

usage: own_library.py LIBRARY COPY

The SONAME of the copy is its file name. Decision 0120 says why.
"""
import pathlib
import struct
import subprocess
import sys

PT_DYNAMIC, DT_NULL, DT_SYMBOLIC, DT_FLAGS, DF_SYMBOLIC = 2, 0, 16, 30, 2
ENTRY = struct.Struct("<qQ")


def dynamic_segment(elf):
    """Where the entries of the dynamic section stand in the file: first and end."""
    if elf[:6] != b"\x7fELF\x02\x01":
        sys.exit(f"{sys.argv[1]}: expected a 64-bit little-endian ELF file")
    table, size, count = *struct.unpack_from("<Q", elf, 32), *struct.unpack_from("<HH", elf, 54)
    for at in range(table, table + size * count, size):
        kind, _, offset, _, _, bytes_in_file = struct.unpack_from("<IIQQQQ", elf, at)
        if kind == PT_DYNAMIC:
            return offset, offset + bytes_in_file
    sys.exit(f"{sys.argv[1]}: expected a shared library")


def make_symbolic(elf):
    first, end = dynamic_segment(elf)
    places = range(first, end, ENTRY.size)
    tags = [ENTRY.unpack_from(elf, at)[0] for at in places]
    if DT_FLAGS in tags:
        at = places[tags.index(DT_FLAGS)]
        ENTRY.pack_into(elf, at, DT_FLAGS, ENTRY.unpack_from(elf, at)[1] | DF_SYMBOLIC)
    elif tags.count(DT_NULL) > 1:  # the last one ends the section
        ENTRY.pack_into(elf, places[tags.index(DT_NULL)], DT_SYMBOLIC, 0)
    else:
        sys.exit(f"{sys.argv[1]}: no room for another entry in its dynamic section")


library, copy = map(pathlib.Path, sys.argv[1:])
elf = bytearray(library.read_bytes())
make_symbolic(elf)
copy.parent.mkdir(parents=True, exist_ok=True)
copy.write_bytes(elf)
subprocess.run(["patchelf", "--set-soname", copy.name, copy], check=True)
