#!/usr/bin/env python3
"""Holds the C headers of the SDK against the frozen copy of a released version.

usage: check_abi.py [--tables PROGRAM] SDK_INCLUDE FROZEN
       check_abi.py --freeze --tables PROGRAM SDK_INCLUDE FROZEN

What may change: a table or struct that begins with mt_head gets members at its end, behind its old
size; an enum gets enumerators at its end; new names come. The C++ side asks has() before it calls an
appended method, and marks an appended member as needs<> or since(). Everything else breaks plugins that are
built already. A deliberate break (before 1.0 only) stands in FROZEN/exceptions.txt: the name of the
struct, enum or interface, a colon and the reason; a line that excuses nothing is a fault too.

--freeze copies the C headers and what a torch-free plugin in C++ includes, from which tests build
plugins of that version, and writes down what stands outside C: interface ids with their tables,
values of enums, groups of needs<>. PROGRAM prints the fingerprints of all tables, one a line: id
and number, of which a newer one only has more digits.

Exit code 0: compatible; 1: not, with one line for each fault; 2: could not be checked.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


class CannotCheck(Exception):
    pass


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise CannotCheck(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


# ---- C: what the preprocessor leaves of the headers ---------------------------------------------
class Headers:
    """Structs as lists of (name, declaration), enumerators and plain typedefs, by name."""

    def __init__(self, include):
        self.include = pathlib.Path(include)
        names = sorted(p.name for p in (self.include / "mortise/c").glob("*.h"))
        if not names:
            raise CannotCheck(f"no headers in {self.include}/mortise/c")
        self.source = "".join(f"#include <mortise/c/{name}>\n" for name in names)
        self.structs, self.enumerators, self.typedefs = {}, {}, {}
        self._parse(self._own_lines())
        self.sizes, self.offsets = self._layout()

    def _compiler(self, *options, **more):
        return run([os.environ.get("CC", "cc"), "-std=c99", "-I", self.include, *options], **more)

    def _own_lines(self):
        text = self._compiler("-E", "-x", "c", "-", input=self.source)
        own, kept = False, []
        for line in text.splitlines():
            marker = re.match(r'# \d+ "([^"]*)"', line)
            if marker:
                own = "/mortise/c/" in marker.group(1)
            elif own:
                kept.append(line)
        return re.sub(r"\s+", " ", " ".join(kept))

    def _parse(self, text):
        for declaration in statements(text):
            struct = re.fullmatch(r"(?:typedef )?struct (\w+) \{(.*)\}\s*(\w*)", declaration)
            enum = re.fullmatch(r"enum \w*\s*\{(.*)\}", declaration)
            if struct:
                self.structs[struct.group(3) or struct.group(1)] = members(struct.group(2))
            elif enum:
                self.enumerators |= enumerators(enum.group(1))
            elif declaration.startswith("typedef "):
                name = re.search(r"(\w+)$", declaration).group(1)
                self.typedefs[name] = declaration
            elif declaration:
                raise CannotCheck(f"not understood: {declaration}")

    def _layout(self):
        lines = ["#include <stdio.h>", self.source, "int main(void) {"]
        for name, all_members in self.structs.items():
            lines.append(f'printf("{name} . %zu\\n", sizeof({name}));')
            lines += [f'printf("{name} {m} %zu\\n", offsetof({name}, {m}));' for m, _ in all_members]
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "layout"
            self._compiler("-x", "c", "-", "-o", program, input="\n".join(lines + ["return 0; }"]))
            printed = [line.split() for line in run([program]).splitlines()]
        offsets = {(s, m): int(n) for s, m, n in printed if m != "."}
        return {s: int(n) for s, m, n in printed if m == "."}, offsets


def split(text, separator):
    """At separators outside of brackets."""
    depth, start = 0, 0
    for i, c in enumerate(text):
        depth += (c in "({") - (c in ")}")
        if c == separator and depth == 0:
            yield text[start:i].strip()
            start = i + 1
    if text[start:].strip():
        yield text[start:].strip()


def statements(text):
    return (s for s in split(text, ";") if s)


def members(body):
    """"int64_t a, b" are two; the declaration of each stands without its name."""
    for_each = []
    for statement in statements(body):
        first, *more = split(statement, ",")
        base = re.match(r"(?:const )?(?:struct )?\w+", first).group(0)
        for declaration in [first] + [f"{base} {other}" for other in more]:
            function = re.search(r"\(\*(\w+)\)", declaration)
            union = re.fullmatch(r"union \{.*\}\s*(\w+)", declaration)
            name = (function or union or re.search(r"(\w+)(?:\[\w*\])*$", declaration)).group(1)
            for_each.append((name, re.sub(r"\s*([*(),{};])\s*", r"\1", declaration)))
    return for_each


def enumerators(body):
    values, following = {}, 0
    for one in split(body, ","):
        name, _, value = (part.strip() for part in one.partition("="))
        values[name] = int(value, 0) if value else following
        following = values[name] + 1
    return values


# ---- C++: what crosses but stands in no C header ------------------------------------------------
def names_of(include, tables):
    """Interface ids with their tables, enums, groups of needs<>, fingerprints: "kind name": value."""
    lines = set()
    for line in run([tables]).splitlines() if tables else ():
        if len(line.split()) != 2:
            raise CannotCheck(f"{tables} printed no id and number: {line}")
        lines.add("table {} = {}".format(*line.split()))
    for file in sorted(pathlib.Path(include).glob("mortise/**/*.hpp")):
        text = re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))
        for table, name in re.findall(r'RemoteBase<\s*[\w:]+,\s*(\w+)>[^"]*?\bid\s*=\s*"([^"]+)"', text):
            lines.add(f"id {name} = {table}")
        for name, body in re.findall(r"enum class (\w+) : std::int(?:32|64)_t \{([^}]*)\}", text):
            lines |= {f"enum {name}.{e} = {v}" for e, v in enumerators(body).items()}
        for struct, body in re.findall(r"struct members<([\w:]+)> \{(.*?)\n\};", text, re.DOTALL):
            for member, group in re.findall(r"\((\w+)\)\s*\.needs<(\d+)>", body):
                lines.add(f"needs {struct}.{member} = {group}")
    if not any(line.startswith("id ") for line in lines):
        raise CannotCheck(f"no interfaces in {include}/mortise")
    return dict(line.rsplit(" = ", 1) for line in sorted(lines))


def cpp_of(include):
    return "".join(file.read_text(encoding="utf-8") for file in pathlib.Path(include).glob("mortise/**/*.hpp"))


# ---- the rules ----------------------------------------------------------------------------------
def struct_faults(name, old, new, cpp):
    if name not in new.structs:
        yield "was removed or renamed"
        return
    before, after = old.structs[name], new.structs[name]
    for position, member in enumerate(before):
        now = after[position] if position < len(after) else None
        if now == member:
            continue
        if now is None or now[0] != member[0]:
            yield (f"member {position + 1} was `{member[0]}`, is "
                   f"`{now[0] if now else 'not there'}`: members keep their places, new ones go to the end")
        else:
            yield f"`{member[0]}` was `{member[1]}`, is `{now[1]}`"
        return
    added = after[len(before):]
    if added and before[0] != ("head", "mt_head head"):
        yield f"has a new member `{added[0][0]}`: without mt_head it never grows"
    for member, declaration in added:
        if "(*" in declaration and f"has(&Table::{member})" not in cpp:
            yield f"`{member}` is new and called without has(&Table::{member}): an older table ends before it"
        if "(*" not in declaration and not re.search(rf"\({member}\)\s*\.(needs<|since\()", cpp):
            yield f"`{member}` is new and neither needs<> nor since(): an older receiver would ignore it unasked"
        if new.offsets[name, member] < old.sizes[name]:
            yield (f"`{member}` begins at {new.offsets[name, member]}, within the old size {old.sizes[name]}: "
                   "an older sender would seem to give it; use a wider type")


def faults(old, new, old_names, new_names):
    """(name, what) of everything that breaks plugins which are built already."""
    cpp = cpp_of(new.include)
    for name in old.structs:
        yield from ((name, fault) for fault in struct_faults(name, old, new, cpp))
    for kind, before, after in (("enumerator", old.enumerators, new.enumerators),
                                ("type", old.typedefs, new.typedefs)):
        for name, value in before.items():
            if after.get(name) != value:
                yield name, f"{kind} was `{value}`, is `{after.get(name, 'not there')}`"
    for name, value in old_names.items():
        kind, what = name.split()
        now = new_names.get(name, "not there")
        if now == value or (kind == "table" and now.startswith(value)):
            continue
        yield what.split(".")[0] if kind in ("enum", "needs") else what, f"{name} was {value}, is {now}"


def read_names(file):
    return dict(line.rsplit(" = ", 1) for line in file.read_text().splitlines() if line)


def read_exceptions(file):
    excused = {}
    for number, line in enumerate(file.read_text().splitlines() if file.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, reason = line.partition(":")
        if not colon or not reason.strip():
            raise CannotCheck(f"{file}:{number}: expected NAME: REASON, got: {line}")
        excused[name.strip()] = reason.strip()
    return excused


def check(include, frozen, tables):
    exceptions = frozen / "exceptions.txt"
    excused, used, count = read_exceptions(exceptions), set(), 0
    old_names = read_names(frozen / "names.txt")
    if not tables:
        old_names = {name: value for name, value in old_names.items() if not name.startswith("table ")}
    for name, what in faults(Headers(frozen), Headers(include), old_names, names_of(include, tables)):
        if name in excused:
            used.add(name)
            continue
        print(f"{name}: {what} (against SDK {frozen.name})")
        count += 1
    for name in sorted(excused.keys() - used) if tables else ():
        print(f"{exceptions}: `{name}` excuses nothing: remove the line")
        count += 1
    return min(count, 1)


def freeze(include, frozen, tables):
    if frozen.exists():
        raise CannotCheck(f"{frozen} exists: a released version is never frozen again")
    if not tables:
        raise CannotCheck("--freeze needs --tables")
    names = names_of(include, tables)
    Headers(include)
    torch_free = "".join(f"#include <mortise/{name}>\n" for name in (
        "data/tokenizer.hpp", "optim/learning_rate_schedule.hpp", "plugin.hpp"))
    reached = run([os.environ.get("CXX", "c++"), "-std=c++20", "-MM", "-I", include, "-x", "c++", "-"], input=torch_free)
    shutil.copytree(include / "mortise/c", frozen / "mortise/c")
    for name in re.findall(re.escape(f"{include}/") + r"(\S+)", reached):
        (frozen / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(include / name, frozen / name)
    (frozen / "names.txt").write_text("".join(f"{name} = {value}\n" for name, value in names.items()))
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("include", type=pathlib.Path)
    parser.add_argument("frozen", type=pathlib.Path)
    parser.add_argument("--tables", type=pathlib.Path)
    parser.add_argument("--freeze", action="store_true")
    given = parser.parse_args()
    try:
        return (freeze if given.freeze else check)(given.include, given.frozen, given.tables)
    except (CannotCheck, OSError) as fault:
        print(fault, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
