#pragma once

// Writes token files, whatever their format; they and their side files appear when they are
// complete.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "../pbin/side_file.hpp"
#include "layout.hpp"

namespace mortise::token_files {

class TokenWriter {
 public:
  virtual ~TokenWriter() = default;

  // Tokens of the current document.
  // Errors: DataError for what the format cannot hold; Error(storage), here and in every call.
  virtual void add(std::span<const std::uint32_t> ids) = 0;
  virtual void end_document() = 0;

  // Completes the files under temporary names; counts in `side` are filled in.
  virtual void finish(pbin::SideFile side) = 0;
  // Gives them their names.
  virtual void publish() = 0;

  virtual const std::string& path() const = 0;
  virtual std::int64_t tokens() const = 0;
  virtual std::int64_t documents() const = 0;
};

// What is to be written. `path` of Megatron's pair is that of the .bin file.
struct Target {
  std::string path;
  Format format = Format::pbin;
  Element element = Element::u16;
};

// `target.element` must be one that the format has: see element_for().
std::unique_ptr<TokenWriter> open_writer(const Target& target);

// The narrowest element of `format` for ids below `vocabulary`, as the format's own programs choose
// it.
Element element_for(Format format, std::int64_t vocabulary);

}  // namespace mortise::token_files
