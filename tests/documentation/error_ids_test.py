"""docs/errors.md has a row for each id that the code can print, and no other: error_ids_test.py SOURCE"""

import pathlib
import re
import sys

from pages import fail, rows

source = pathlib.Path(sys.argv[1])
ID = re.compile(r"\b[CPDTRK][0-9]{4}\b")


def code_without_comments(file):
    return re.sub(r"(?m)(?<!:)//.*$", "", file.read_text())


printed = {}
for folder in ("host", "plugins", "sdk/include"):
    for file in sorted((source / folder).rglob("*.[ch]pp")):
        for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"', code_without_comments(file)):
            for found in ID.findall(literal):
                printed.setdefault(found, file.relative_to(source))

page = source / "docs/errors.md"
documented = [found for _, row in rows(page) for found in ID.findall(row[0])]

problems = [f"{file} can print {found}, which docs/errors.md does not explain"
            for found, file in sorted(printed.items()) if found not in documented]
problems += [f"docs/errors.md explains {found}, which nothing prints"
             for found in documented if found not in printed]
problems += [f"docs/errors.md explains {found} twice"
             for found in sorted(set(documented)) if documented.count(found) > 1]
if len(printed) < 80:
    problems.append(f"expected at least 80 ids in the code, found {len(printed)}")
fail(problems)
