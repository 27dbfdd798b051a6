#include "tests/end_to_end/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace mortise::tests {
namespace {

using Clock = std::chrono::steady_clock;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::filesystem::path new_file(const std::string& what) {
  std::string name =
      (std::filesystem::temp_directory_path() / ("mortise_" + what + "_XXXXXX")).string();
  const int file = mkstemp(name.data());
  if (file < 0) throw std::runtime_error("no temporary file can be made");
  close(file);
  return name;
}

// The environment of the test without what a launcher may have put there, then `additions`.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& additions) {
  std::map<std::string, std::string> all;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string line = *e;
    all[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  }
  for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR",
                           "MASTER_PORT", "MORTISE_SITE", "MORTISE_PLUGIN_PATH"})
    all.erase(name);
  std::erase_if(all, [](const auto& entry) {
    return std::regex_match(entry.first, std::regex("(SLURM|OMPI|PMIX?|MPI)_.*"));
  });
  for (const auto& [name, value] : additions) all[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : all) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& t : texts) all.push_back(const_cast<char*>(t.c_str()));
  all.push_back(nullptr);
  return all;
}

// Only calls that are allowed between fork and exec.
[[noreturn]] void become(const char* folder, const char* out, const char* err, char* const* argv,
                         char* const* environment) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  const int out_file = open(out, O_WRONLY | O_APPEND), err_file = open(err, O_WRONLY | O_APPEND);
  if (chdir(folder) != 0 || dup2(nothing, 0) < 0 || dup2(out_file, 1) < 0 || dup2(err_file, 2) < 0)
    _exit(126);
  execve(argv[0], argv, environment);
  _exit(127);
}

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

}  // namespace

Program::Program(const Start& start)
    : out_(new_file("out")),
      err_(new_file("err")),
      started_(Clock::now()),
      deadline_(started_ + start.limit) {
  mark_ = "MORTISE_TEST_MARK=" + out_.filename().string();
  std::vector<std::string> lines = environment_with(start.environment);
  lines.push_back(mark_);
  const std::vector<char*> environment = pointers(lines), argv = pointers(start.command);
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("fork failed");
  if (id_ == 0)
    become(start.folder.c_str(), out_.c_str(), err_.c_str(), argv.data(), environment.data());
}

Program::~Program() {
  if (!ended()) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  for (const pid_t left : left_behind()) kill(left, SIGKILL);
  std::error_code ignored;
  std::filesystem::remove(out_, ignored);
  std::filesystem::remove(err_, ignored);
}

bool Program::ended() {
  if (!ended_) ended_ = waitpid(id_, &status_, WNOHANG) == id_;
  return ended_;
}

bool Program::late() const { return Clock::now() > deadline_; }

void Program::send(int signal) const { kill(id_, signal); }

std::vector<pid_t> Program::children() const {
  std::vector<pid_t> all;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(id_) + "/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) all.push_back(child);
  }
  std::sort(all.begin(), all.end());
  return all;
}

bool Program::wait_until_it_says(const std::string& text) {
  for (; !late(); nap()) {
    const bool over = ended();
    for (const auto& file : {out_, err_})
      if (text_of(file).find(text) != std::string::npos) return true;
    if (over) return false;
  }
  return false;
}

Outcome Program::wait() {
  while (!ended() && !late()) nap();
  Outcome outcome;
  outcome.timed_out = !ended_;
  if (!ended_) {
    kill(id_, SIGKILL);
    waitpid(id_, &status_, 0);
    ended_ = true;
  }
  outcome.took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
  if (WIFEXITED(status_)) outcome.exit = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) outcome.signal = WTERMSIG(status_);
  outcome.out = text_of(out_);
  outcome.err = text_of(err_);
  return outcome;
}

std::vector<pid_t> Program::left_behind() const {
  std::vector<pid_t> all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); }))
      continue;
    if (text_of(entry.path() / "environ").find(mark_) != std::string::npos)
      all.push_back(pid_t(std::stol(name)));
  }
  return all;
}

}  // namespace mortise::tests
