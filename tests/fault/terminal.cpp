#include "tests/fault/terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace mortise::tests {

Terminal::Terminal(const Program::Start& start)
    : deadline_(std::chrono::steady_clock::now() + start.limit) {
  std::vector<std::string> lines{"PATH=/usr/bin:/bin", "TERM=xterm"};
  for (const auto& [name, value] : start.environment) lines.push_back(name + "=" + value);
  std::vector<char*> arguments, environment;
  for (const std::string& word : start.command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& line : lines) environment.push_back(const_cast<char*>(line.c_str()));
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  id_ = forkpty(&screen_, nullptr, nullptr, nullptr);
  if (id_ < 0) throw std::runtime_error("no terminal can be made");
  if (id_ == 0) {
    if (chdir(start.folder.c_str()) == 0)
      execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
  }
  fcntl(screen_, F_SETFL, O_NONBLOCK);
}

Terminal::~Terminal() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  close(screen_);
}

void Terminal::read_on() {
  pollfd waiting{screen_, POLLIN, 0};
  poll(&waiting, 1, 20);
  char buffer[4096];
  for (ssize_t n = 0; (n = read(screen_, buffer, sizeof buffer)) > 0;)
    seen_.append(buffer, std::size_t(n));
}

bool Terminal::shows(const std::string& text) {
  while (seen_.find(text) == std::string::npos) {
    if (late() || waitid(P_PID, id_t(id_), nullptr, WEXITED | WNOHANG | WNOWAIT) != 0) return false;
    read_on();
  }
  return true;
}

void Terminal::press(char key) const {
  if (write(screen_, &key, 1) != 1) throw std::runtime_error("the terminal takes no keys");
}

Outcome Terminal::wait() {
  Outcome outcome;
  int status = 0;
  while (waitpid(id_, &status, WNOHANG) == 0) {
    if (late()) {
      outcome.timed_out = true;
      kill(id_, SIGKILL);
    }
    read_on();
  }
  id_ = -1;
  read_on();
  if (WIFEXITED(status)) outcome.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.out = seen_;
  return outcome;
}

}  // namespace mortise::tests
