"""Reads the pages of the documentation: fenced blocks and tables."""

import pathlib
import re
from dataclasses import dataclass


@dataclass
class Block:
    page: pathlib.Path
    line: int  # of its first line of text, from 1
    language: str  # what stands behind the fence: "yaml", "cpp", "" …
    mark: str  # the comment in the line before it: "<!-- fragment -->" -> "fragment"
    text: str

    def place(self):
        return f"{self.page.name}:{self.line}"


def pages(source):
    """README.md and every page below docs/."""
    source = pathlib.Path(source)
    return [source / "README.md", source / "sdk/README.md", *sorted(source.glob("docs/**/*.md"))]


def blocks(page):
    """Every fenced block of a page."""
    found, mark = [], ""
    lines = page.read_text().split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        if not line.startswith("```"):
            comment = re.fullmatch(r"<!-- (.*) -->", line)
            mark = comment[1] if comment else ""
            number += 1
            continue
        end = lines.index("```", number + 1)
        text = "".join(one + "\n" for one in lines[number + 1 : end])
        found.append(Block(page, number + 2, line[3:].strip(), mark, text))
        number, mark = end + 1, ""
    return found


def rows(page):
    """Cells of every row of every table, with the number of its line; heads and rulers left out."""
    lines = page.read_text().split("\n")
    for number, line in enumerate(lines, 1):
        is_head = number < len(lines) and lines[number].startswith("|---")
        if line.startswith("|") and not line.startswith("|---") and not is_head:
            yield number, [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def fail(problems):
    """Ends the test: 0 without problems, else each on a line and 1."""
    for problem in problems:
        print(problem)
    raise SystemExit(1 if problems else 0)
