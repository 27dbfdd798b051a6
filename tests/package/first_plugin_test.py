#!/usr/bin/env python3
"""Does what a page of the documentation says: writes its files, types its commands, and looks for what
it shows of their output.

usage: first_plugin_test.py PAGE SECTION PREFIX

In the section a block after `<!-- write: PATH -->` is that file, below the folder where the page begins;
a block of `sh` is typed into one shell, line by line; each line of a block of `text` stands in the output
of the commands before it, where `…` is anything.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- write: (\S+) -->\n)?```(\w*)\n(.*?)\n```", re.S)


def section(page: str, title: str) -> str:
    parts = re.split(r"^## ", page, flags=re.M)
    return next(part for part in parts if part.startswith(title + "\n"))


def shown(line: str, output: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in line.split("…"))
    return re.search(pattern, output) is not None


def run(text: str, folder: str, environment: dict):
    """Output, exit code and the folder where the shell has ended."""
    script = f"set -e\n{text}\npwd > \"$FOLDER_FILE\"\n"
    with tempfile.NamedTemporaryFile("r") as ended:
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment | {"FOLDER_FILE": ended.name},
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout, done.returncode, ended.read().strip() or folder


def main(page: str, title: str, prefix: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        here, output, counts = folder, "", {"write": 0, "sh": 0, "text": 0}
        environment = os.environ | {"PATH": f"{prefix}/bin:{os.environ['PATH']}", "CCACHE_BASEDIR": folder}
        if shutil.which("ccache"):
            environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
        for path, language, text in BLOCK.findall(section(pathlib.Path(page).read_text(), title)):
            if path:
                counts["write"] += 1
                file = pathlib.Path(folder) / path
                if not file.exists():
                    print(f"{path}: the project has no such file to put something in place of")
                    return 1
                file.write_text(text + "\n")
            elif language == "sh":
                counts["sh"] += 1
                output, code, here = run(text, here, environment)
                print(f"$ {text}\n{output}")
                if code != 0 or "warning: " in output:
                    return 1
            elif language == "text":
                counts["text"] += 1
                for line in text.splitlines():
                    if not shown(line, output):
                        print(f"the page shows a line that is not there: {line}")
                        return 1
    print(counts)
    return 0 if all(counts.values()) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
