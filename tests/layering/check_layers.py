#!/usr/bin/env python3
"""Which folder may include what (docs/architecture.md): prints every include that breaks a rule.

usage: check_layers.py SOURCE_FOLDER

Exit code 0: none; 1: some, each with file and line; 2: nothing was read.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\s+[<"]([^">]+)[">]')
# Third-party headers and the only folders that may see them.
ONLY_IN = {
    "yaml-cpp/": ["host/config/", "tests/"],
    "spdlog/": ["host/logging/"],
    "boost/dll": ["host/loading/"],
    "boost/program_options": ["host/cli/"],
    "torch/csrc/distributed/": ["host/distributed/"],
}
HEAVY = {"torch/torch.h", "torch/all.h"}
TORCH = ("ATen/", "torch/", "c10/")
TORCH_FREE = ["host/config/", "host/loading/", "host/logging/"]


def faults(path: str, name: str):
    for prefix, folders in ONLY_IN.items():
        if name.startswith(prefix) and not any(path.startswith(f) for f in folders):
            yield f"{name} belongs in {' or '.join(folders)}"
    if name.startswith("host/") and path.startswith(("sdk/", "plugins/")):
        yield "plugins and the SDK never see the host"
    if name.startswith("plugins/") and path.startswith(("sdk/", "host/")):
        yield "the host sees plugins through tables alone"
    if name in HEAVY and path.endswith((".hpp", ".h")):
        yield f"{name} costs twelve seconds in every file that sees this header"
    if name.startswith(TORCH) and any(path.startswith(f) for f in TORCH_FREE):
        yield "this folder is torch-free"


def main(root: pathlib.Path) -> int:
    read, found = 0, 0
    for folder in ("sdk", "host", "plugins", "tests"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".hpp", ".cpp", ".h", ".c"):
                continue
            read += 1
            path = str(file.relative_to(root))
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                for fault in faults(path, match.group(1)) if match else ():
                    print(f"{path}:{number}: {fault}")
                    found += 1
    print(f"{read} files, {found} includes against the rules")
    return 2 if read == 0 else min(found, 1)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
