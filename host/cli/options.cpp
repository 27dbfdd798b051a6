#include "host/cli/options.hpp"

#include <cstdlib>
#include <iostream>

#include "host/failure.hpp"

namespace mortise::host {
namespace po = boost::program_options;

Options::Options(std::string command, std::string usage)
    : command_(std::move(command)), usage_(std::move(usage)) {
  visible_.add_options()("help,h", "show this");
}

bool Options::parse(const Arguments& arguments) {
  for (const std::string& a : arguments)
    if (a == "--help" || a == "-h") {
      std::cout << usage_ << "\n\n" << visible_;
      return false;
    }
  try {
    using Style = po::command_line_style::style_t;
    const int style = Style::unix_style & ~Style::allow_guessing;
    const auto parsed = po::command_line_parser(arguments)
                            .options(visible_)
                            .positional(positions_)
                            .style(style)
                            .run();
    parsed_ = parsed.options;
    po::store(parsed, values_);
    po::notify(values_);
  } catch (const po::error& e) {
    throw Failure("C0901", Exit::configuration,
                  "error[C0901]: " + command_ + ": " + e.what() + "; see " + command_ + " --help");
  }
  return true;
}

std::string Options::text(const std::string& name) const {
  return values_.count(name) == 0 ? "" : values_[name].as<std::string>();
}
std::vector<std::string> Options::texts(const std::string& name) const {
  return values_.count(name) == 0 ? std::vector<std::string>{}
                                  : values_[name].as<std::vector<std::string>>();
}

int ranks_of(const Options& options, int most) {
  if (!options.has("ranks")) return 1;
  const std::string text = options.text("ranks");
  char* end = nullptr;
  const long n = std::strtol(text.c_str(), &end, 10);
  if (*end != '\0' || n < 1 || n > most)
    throw Failure("C0902", Exit::configuration,
                  "error[C0902]: -n " + text + ": expected a number of ranks from 1 to " +
                      std::to_string(most));
  return int(n);
}

}  // namespace mortise::host
