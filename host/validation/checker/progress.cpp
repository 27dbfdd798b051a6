#include "host/validation/checker/progress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

#include "host/config/checking/suggestion.hpp"

namespace mortise::host {

Progress::Progress(const std::string& file)
    : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), file);
}

Progress::~Progress() { ::close(file_); }

void Progress::write(std::string_view word, std::string text) {
  const std::string line = std::string(word) + one_line(text) + "\n";
  if (::write(file_, line.data(), line.size()) != ssize_t(line.size()))
    throw std::system_error(errno, std::generic_category(), "the record of a check");
}

}  // namespace mortise::host
