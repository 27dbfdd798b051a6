"""Each row of docs/numerics.md names tests that are there: numerics_page_test.py SOURCE"""

import pathlib
import re
import sys

from pages import fail, rows

source = pathlib.Path(sys.argv[1])
page = source / "docs/numerics.md"
NAMED = re.compile(r'`(tests/[^`]+)`: ("[^"]+"(?:, "[^"]+")*)')


def cases(text):
    """Names of the test cases of a C++ file, with literals that continue on the next line joined."""
    for found in re.finditer(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)[)*]', text):
        yield "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found[1]))


def problems_of(number, cell):
    place = f"docs/numerics.md:{number}"
    named = NAMED.findall(cell)
    rest = NAMED.sub("", cell).strip(" ;")
    if not named or rest:
        yield f'{place}: expected `tests/FILE`: "CASE", got {cell!r}'
    for file, names in named:
        if not (source / file).is_file():
            yield f"{place}: there is no {file}"
            continue
        text = (source / file).read_text()
        known = list(cases(text)) if file.endswith(".cpp") else text
        for name in re.findall(r'"([^"]+)"', names):
            if name not in known:
                yield f'{place}: {file} has no test "{name}"'


checked = [(number, row[-1]) for number, row in rows(page) if len(row) == 3]
problems = [p for number, cell in checked for p in problems_of(number, cell)]
if len(checked) < 20:
    problems.append(f"docs/numerics.md: expected a table of at least 20 rows, found {len(checked)}")
fail(problems)
