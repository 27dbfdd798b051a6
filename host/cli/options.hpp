#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/command_line.hpp"

namespace mortise::host {

// Parses options of one command; `usage` is what --help prints before the list of options.
// Throws Failure (exit configuration) for what it does not know, with a hint to --help.
class Options {
 public:
  Options(std::string command, std::string usage);
  boost::program_options::options_description& visible() { return visible_; }
  // Names of what stands without an option, in order; the last may take many.
  void positional(const std::string& name, int count) { positions_.add(name.c_str(), count); }

  // False: help was printed.
  bool parse(const Arguments& arguments);
  bool has(const std::string& name) const {
    return values_.count(name) != 0 && !values_[name].defaulted();
  }
  std::string text(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;
  std::vector<boost::program_options::option> given() const { return parsed_; }

 private:
  std::string command_, usage_;
  boost::program_options::options_description visible_{"options"};
  boost::program_options::positional_options_description positions_;
  boost::program_options::variables_map values_;
  std::vector<boost::program_options::option> parsed_;
};

// How many ranks -n asks for, at most `most`; 1 without it. Throws Failure (exit configuration).
int ranks_of(const Options& options, int most = 1024);

}  // namespace mortise::host
