#!/usr/bin/env python3
"""Makes a version of the SDK that does not exist yet: today's, grown as sdk/README.md allows.

usage: newer_sdk.py SDK_INCLUDE NEW_FOLDER

A tokenizer counts (a method with a default body), a special token has a weight that must not be
ignored (needs<>), a logger flushes (no sensible default) and has one more level.
"""
import pathlib
import shutil
import sys

EDITS = [
    ("c/tokenizer.h", "} mt_special_token;", "  int64_t weight;\n} mt_special_token;"),
    ("c/tokenizer.h", "} mt_tokenizer_v1;",
     "  mt_status (*count)(void* self, mt_text text, int64_t* ids, const mt_error_sink* error);\n} mt_tokenizer_v1;"),
    ("c/logger.h", "} mt_logger_v1;", "  mt_status (*flush)(void* self, const mt_error_sink* error);\n} mt_logger_v1;"),
    ("data/tokenizer.hpp", "  std::int64_t id = 0;\n", "  std::int64_t id = 0;\n  std::int64_t weight = 1;\n"),
    ("data/tokenizer.hpp", "MORTISE_MEMBER(name), MORTISE_MEMBER(id)}",
     "MORTISE_MEMBER(name), MORTISE_MEMBER(id), MORTISE_MEMBER(weight).needs<0>()}"),
    ("data/tokenizer.hpp", "  virtual std::string fingerprint() const = 0;\n",
     "  virtual std::string fingerprint() const = 0;\n"
     "  virtual std::int64_t count(std::string_view text) const { return std::int64_t(encode(text).size()); }\n"),
    ("data/tokenizer.hpp", "&Tokenizer::encode_batch>;", "&Tokenizer::encode_batch, &Tokenizer::count>;"),
    ("data/tokenizer.hpp", "  std::int64_t vocabulary_size() const override {\n",
     "  std::int64_t count(std::string_view text) const override {\n"
     "    return has(&Table::count) ? call(&Table::count, &Tokenizer::count, text) : Tokenizer::count(text);\n  }\n"
     "  std::int64_t vocabulary_size() const override {\n"),
    ("run/logger.hpp", "debug, info, warning, error }", "debug, info, warning, error, critical }"),
    ("run/logger.hpp", "return LogLevel::error;", "return LogLevel::critical;"),
    ("run/logger.hpp", "  virtual void log(LogLevel level, std::string_view text) = 0;\n",
     "  virtual void log(LogLevel level, std::string_view text) = 0;\n"
     "  virtual void flush() { throw Error(ErrorCode::not_supported, \"this logger cannot be flushed\"); }\n"),
    ("run/logger.hpp", "kit::Methods<&Logger::log>", "kit::Methods<&Logger::log, &Logger::flush>"),
    ("run/logger.hpp", "  void log(LogLevel level, std::string_view text) override {\n",
     "  void flush() override { has(&Table::flush) ? call(&Table::flush, &Logger::flush) : Logger::flush(); }\n"
     "  void log(LogLevel level, std::string_view text) override {\n"),
    ("kit/manifest.hpp", "#define MORTISE_SDK_TEXT \"0.", "#define MORTISE_SDK_TEXT \"0.9"),
]


def main(include, new):
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(include, new)
    for file, before, after in EDITS:
        path = new / "mortise" / file
        text = path.read_text()
        if text.count(before) != 1:
            sys.exit(f"{file}: expected once, found {text.count(before)} times: {before}")
        path.write_text(text.replace(before, after))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
