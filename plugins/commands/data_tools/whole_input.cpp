#include "whole_input.hpp"

#include <iostream>
#include <iterator>
#include <mortise/error.hpp>

#include "../../data/pbin/mapped_file.hpp"

namespace mortise::data_tools {

std::string whole_input(std::optional<std::string_view> words, std::optional<std::string_view> file,
                        const char* name) {
  if (words.has_value() == file.has_value())
    throw ConfigError(std::string("expected ") + name + ", - for standard input, or --file, got " +
                      (words ? "two" : "none") + " of them");
  if (file) return std::string(pbin::MappedFile{std::string(*file)}.bytes());
  if (words != "-") return std::string(*words);
  return {std::istreambuf_iterator<char>(std::cin), {}};
}

}  // namespace mortise::data_tools
