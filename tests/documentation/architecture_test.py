"""docs/architecture.md and its picture name what there is: architecture_test.py SOURCE"""

import pathlib
import re
import sys

from pages import fail

source = pathlib.Path(sys.argv[1])
page = (source / "docs/architecture.md").read_text()
picture = re.sub(r"<[^>]*>", " ", (source / "docs/architecture.svg").read_text())
reference = (source / "docs/reference.md").read_text()


def plain(text):
    return re.sub(r"[-_ \n]", "", text)


folders = [folder for folder in (source / "host").iterdir() if folder.is_dir()]
problems = [f"docs/architecture.md does not name host/{folder.name}"
            for folder in folders if f"host/{folder.name}`" not in page]
named = re.findall(r"`((?:host|plugins|sdk|tests)/[\w./]+)`", page)
problems += [f"docs/architecture.md names {path}, which is not there"
             for path in named if not (source / path).exists()]
kinds = re.findall(r"^## (\w+)$", reference, re.M)
problems += [f"docs/architecture.svg does not name components of kind {kind}"
             for kind in kinds if plain(kind) not in plain(picture)]
if len(named) < 15 or len(kinds) < 8:
    problems.append(f"only {len(named)} paths and {len(kinds)} kinds are found")
fail(problems)
