#pragma once

// How far a long command has come: a line on standard error that is redrawn where that is a
// terminal, or JSON lines on standard output for programs.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace mortise::data_tools {

struct Work {
  std::int64_t done_bytes = 0;    // of the input files
  std::int64_t total_bytes = -1;  // -1: not known, as of standard input
  std::int64_t text_bytes = 0;    // read, after decompression
  std::int64_t tokens = 0, documents = 0;
};

class Progress {
 public:
  enum class Form { line, json };
  // `verb`: "packing".
  Progress(std::string_view verb, Form form);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows it, if it is time to.
  void show(const Work& work);
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string verb_;
  Form form_;
  bool terminal_, drawn_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

// "packing [#########           ]  45%  123.0 MB/s  27.1M tokens/s  12s left"
std::string progress_text(std::string_view verb, const Work& work, double seconds);

// The same facts as members of a JSON object, without the braces: a command puts its own before
// them.
std::string progress_json(const Work& work, double seconds);

}  // namespace mortise::data_tools
