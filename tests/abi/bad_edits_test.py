#!/usr/bin/env python3
"""Edits that break built plugins are caught by check_abi.py; those that grow an interface pass.

usage: bad_edits_test.py SDK_INCLUDE FROZEN TABLES
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import check_abi  # noqa: E402
import newer_sdk  # noqa: E402

INCLUDE, FROZEN, TABLES = map(pathlib.Path, sys.argv[1:4])
CHECK = pathlib.Path(__file__).with_name("check_abi.py")


def check(include, frozen, tables=None):
    more = ["--tables", tables] if tables else []
    done = subprocess.run([sys.executable, CHECK, include, frozen, *more], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Edited:
    """Two folders: what was frozen, without exceptions, and its headers with texts replaced."""

    def __init__(self, *edits):
        self.edits = edits

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        include, frozen = (pathlib.Path(self.folder.name) / name for name in ("include", FROZEN.name))
        shutil.copytree(FROZEN, frozen)
        (frozen / "exceptions.txt").write_text("")
        shutil.copytree(INCLUDE, include)
        shutil.rmtree(include / "mortise/c")
        shutil.copytree(FROZEN / "mortise/c", include / "mortise/c")
        for file, before, after in self.edits:
            path = include / "mortise" / file
            text = path.read_text()
            assert text.count(before) == 1, (file, before, text.count(before))
            path.write_text(text.replace(before, after))
        return include, frozen

    def __exit__(self, *_):
        self.folder.cleanup()


DECODE = """  mt_status (*decode)(void* self, mt_u32s ids, const mt_text_sink* text,
                      const mt_error_sink* error);
"""
ENCODE = """  mt_status (*encode)(void* self, mt_text text, const mt_u32_sink* ids, const mt_error_sink* error);
"""
APPENDED = "  mt_status (*count)(void* self, mt_text text, int64_t* ids, const mt_error_sink* error);\n"

BAD = {
    "two methods of a table change places": (
        [("c/tokenizer.h", ENCODE + DECODE, DECODE + ENCODE)],
        "mt_tokenizer_v1: member 2 was `encode`, is `decode`"),
    "a method is removed": (
        [("c/tokenizer.h", DECODE, "")],
        "mt_tokenizer_v1: member 3 was `decode`, is `vocabulary_size`"),
    "the last method is removed": (
        [("c/logger.h", "  mt_status (*log)(void* self, int32_t level, mt_text text, const mt_error_sink* error);\n", "")],
        "mt_logger_v1: member 2 was `log`, is `not there`"),
    "a method is inserted in the middle": (
        [("c/tokenizer.h", DECODE, APPENDED + DECODE)],
        "mt_tokenizer_v1: member 3 was `decode`, is `count`"),
    "the type of a parameter changes": (
        [("c/tokenizer.h", "(*vocabulary_size)(void* self, int64_t* size,", "(*vocabulary_size)(void* self, int32_t* size,")],
        "mt_tokenizer_v1: `vocabulary_size` was"),
    "a method gets a parameter": (
        [("c/command.h", "(*run)(void* self, int64_t* exit_code,", "(*run)(void* self, int64_t* exit_code, int32_t flags,")],
        "mt_command_v1: `run` was"),
    "the type of a member changes at the same size": (
        [("c/progress.h", "int64_t tokens, total_tokens;", "uint64_t tokens, total_tokens;")],
        "mt_progress: `tokens` was"),
    "a member of a struct is renamed": (
        [("c/model.h", "int64_t unit, micro_batch;", "int64_t part, micro_batch;")],
        "mt_visit: member 2 was `unit`, is `part`"),
    "a member is appended in the padding of the old struct": (
        [("c/model.h", "uint8_t last_of_step;", "uint8_t last_of_step;\n  uint8_t first_of_step;")],
        "mt_visit: `first_of_step` begins at 41, within the old size 48"),
    "an appended method is called without a look whether it is there": (
        [edit for edit in newer_sdk.EDITS if "has(&Table::count)" not in edit[2]],
        "mt_tokenizer_v1: `count` is new and called without has(&Table::count)"),
    "an appended member is not marked": (
        [edit for edit in newer_sdk.EDITS if ".needs<0>()" not in edit[2]],
        "mt_special_token: `weight` is new and neither needs<> nor since()"),
    "a struct that lies in arrays for ever grows": (
        [("c/tensor.h", "  const mt_tensor* value;\n} mt_named_tensor;", "  const mt_tensor* value;\n  int64_t flags;\n} mt_named_tensor;")],
        "mt_named_tensor: has a new member `flags`: without mt_head it never grows"),
    "a table is renamed": (
        [("c/command.h", "typedef struct mt_command_v1", "typedef struct mt_command_v2"),
         ("c/command.h", "} mt_command_v1;", "} mt_command_v2;")],
        "mt_command_v1: was removed or renamed"),
    "the kind of a value gets another number": (
        [("c/plugin.h", "MT_FLOAT = 3", "MT_FLOAT = 8")],
        "MT_FLOAT: enumerator was `3`, is `8`"),
    "a plain type changes": (
        [("c/base.h", "typedef int32_t mt_status;", "typedef int64_t mt_status;")],
        "mt_status: type was"),
    "an enumerator that crosses is inserted in the middle": (
        [("model/parameter.hpp", "enum class Role : std::int32_t { matrix, embedding,", "enum class Role : std::int32_t { matrix, table, embedding,")],
        "Role: enum Role.embedding was 1, is 2"),
    "an interface id is renamed": (
        [("data/tokenizer.hpp", '"mortise/tokenizer/1"', '"mortise/tokeniser/1"')],
        "mortise/tokenizer/1: id mortise/tokenizer/1 was mt_tokenizer_v1, is not there"),
}

GOOD = {
    "nothing": [],
    "methods, a member and an enumerator are appended": newer_sdk.EDITS,
    "a kind of value is appended": [("c/plugin.h", "MT_COMPONENT = 7", "MT_COMPONENT = 7,\n  MT_BYTES = 8")],
    "an enumerator is appended": [("model/parameter.hpp", "expert, other };", "expert, other, router };")],
    "a table is new": [("c/command.h", "} mt_command_v1;", "} mt_command_v1;\ntypedef struct mt_new_v1 { mt_head head; } mt_new_v1;")],
    "only comments and line breaks change": [("c/command.h", "  mt_head head;\n", "  mt_head   head; /* the\n head */\n")],
}


class BadEdits(unittest.TestCase):
    def test_the_headers_as_they_are_are_compatible(self):
        self.assertEqual(check(INCLUDE, FROZEN, TABLES), (0, ""))

    def test_every_struct_has_its_layout_stated(self):
        stated = "".join(file.read_text() for file in (CHECK.parents[1] / "unit/sdk").glob("abi_layout*.cpp"))
        stated = re.sub(r"\s+", "", stated)
        for name, members in check_abi.Headers(INCLUDE).structs.items():
            with self.subTest(name):
                is_view = len(members) == 2 and name != "mt_head"  # data and size, self and put
                self.assertRegex(stated, rf"<{name}[>,]")
                for member, _ in () if is_view else members:
                    self.assertIn(f"offsetof({name},{member})", stated)

    def test_edits_that_break_are_caught(self):
        for name, (edits, fault) in BAD.items():
            with self.subTest(name), Edited(*edits) as (include, frozen):
                code, said = check(include, frozen)
                self.assertEqual(code, 1, said)
                self.assertIn(fault, said)
                self.assertIn(f"(against SDK {FROZEN.name})", said)

    def test_edits_that_grow_pass(self):
        for name, edits in GOOD.items():
            with self.subTest(name), Edited(*edits) as (include, frozen):
                self.assertEqual(check(include, frozen), (0, ""))

    def test_a_fingerprint_gets_digits_and_changes_none(self):
        lines = (FROZEN / "names.txt").read_text().splitlines()
        tables = [line[len("table "):].replace(" =", "") for line in lines if line.startswith("table ")]
        tokenizer = next(line for line in tables if line.startswith("mortise/tokenizer/1 "))
        for now, code in ((tokenizer + "12345678", 0), (tokenizer[:-1] + "x", 1), (tokenizer[:-8], 1), ("", 1)):
            with self.subTest(now), Edited() as (include, frozen):
                program = include / "tables"
                printed = [now if line == tokenizer else line for line in tables]
                program.write_text("#!/bin/sh\ncat <<E\n" + "\n".join(filter(None, printed)) + "\nE\n")
                os.chmod(program, 0o755)
                got, said = check(include, frozen, program)
                self.assertEqual(got, code, said)
                self.assertEqual("mortise/tokenizer/1: table" in said, code == 1)

    def test_a_break_with_a_reason_passes_and_a_reason_without_a_break_does_not(self):
        edits, _ = BAD["a method is removed"]
        with Edited(*edits) as (include, frozen):
            excused = frozen / "exceptions.txt"
            excused.write_text("# before 1.0\nmt_tokenizer_v1: decode moved to another interface\n")
            self.assertEqual(check(include, frozen), (0, ""))
            excused.write_text(excused.read_text() + "mt_logger_v1: was never broken\n")
            code, said = check(include, frozen, TABLES)
            self.assertEqual(code, 1)
            self.assertIn("`mt_logger_v1` excuses nothing", said)
            excused.write_text("mt_tokenizer_v1\n")
            self.assertEqual(check(include, frozen)[0], 2)

    def test_what_cannot_be_read_is_no_success(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(check(pathlib.Path(empty), FROZEN)[0], 2)
            self.assertEqual(check(INCLUDE, pathlib.Path(empty) / "9.9")[0], 2)
        with Edited(("c/command.h", "mt_head head;", "mt_head head")) as (include, frozen):
            self.assertEqual(check(include, frozen)[0], 2)

    def test_a_version_is_frozen_once_and_agrees_with_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            frozen = pathlib.Path(folder) / "7.0"
            command = [sys.executable, CHECK, "--freeze", "--tables", TABLES, INCLUDE, frozen]
            self.assertEqual(subprocess.run(command).returncode, 0)
            self.assertEqual(check(INCLUDE, frozen, TABLES), (0, ""))
            self.assertEqual(subprocess.run(command, stderr=subprocess.DEVNULL).returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
