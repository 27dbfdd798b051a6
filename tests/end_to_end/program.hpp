#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mortise::tests {

// How a program has ended and what it has said.
struct Outcome {
  int exit = -1;           // -1: it was ended by a signal
  int signal = 0;          // 0: it ended by itself
  bool timed_out = false;  // it was still there at the limit, and was killed
  std::string out, err;
  std::string said() const { return out + err; }
  std::chrono::milliseconds took{0};
};

// A program that runs beside the test: it has no terminal, what it writes goes into files. It is
// started in a folder, with additions to the environment, and killed with the object if it has not
// ended.
class Program {
 public:
  struct Start {
    std::vector<std::string> command;  // the program's path and its arguments
    std::filesystem::path folder;      // working folder
    std::map<std::string, std::string> environment;
    std::chrono::seconds limit{60};
  };
  explicit Program(const Start& start);
  ~Program();
  Program(const Program&) = delete;

  pid_t id() const { return id_; }
  // The processes that it has started and that still live, oldest first.
  std::vector<pid_t> children() const;
  void send(int signal) const;
  // Waits until it has written `text`; false: it ended before, or the limit came.
  bool wait_until_it_says(const std::string& text);
  // Waits for its end, at most up to the limit.
  Outcome wait();
  // Processes that it, or one of its descendants, has left behind; to be asked after wait().
  std::vector<pid_t> left_behind() const;

 private:
  bool ended();
  bool late() const;

  std::string mark_;  // stands in the environment of every descendant
  std::filesystem::path out_, err_;
  std::chrono::steady_clock::time_point started_, deadline_;
  pid_t id_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace mortise::tests
