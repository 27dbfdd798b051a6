"""docs/reference.md is what the program says today: reference_test.py PROGRAM SOURCE"""

import difflib
import pathlib
import subprocess
import sys

from pages import fail

program, source = sys.argv[1:]
written = (pathlib.Path(source) / "docs/reference.md").read_text()
said = subprocess.run([program, "config", "docs"], capture_output=True, text=True, check=True).stdout
difference = list(difflib.unified_diff(written.splitlines(), said.splitlines(),
                                       "docs/reference.md", "mortise config docs", lineterm=""))
if difference:
    difference.append("docs/reference.md is out of date: cmake --build build/release --target reference")
fail(difference)
