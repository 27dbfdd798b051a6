#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../data_tools/progress.hpp"
#include "input.hpp"

namespace mortise::token_tools {

// A command at work: shows how far it has come, and ends early where a signal asks for it.
class Job {
 public:
  Job(std::string_view verb, data_tools::Progress::Form form) : progress_(verb, form) {}

  // What there is to do: all tokens of the inputs.
  void begin(const std::vector<Input>& inputs);
  // Tokens of `input` are done. Throws what run_job() catches where a signal came.
  void passed(const Input& input, std::size_t tokens);
  void end_document() { ++work_.documents; }

  // The result as one line of JSON: what was done and the files, each a JSON object.
  std::string result(const std::vector<std::string>& files, const std::string& more = "") const;

 private:
  data_tools::Progress progress_;
  data_tools::Work work_;
};

// Does `work` and returns the exit code; `json`: progress as JSON lines. The code is 0, or that of
// an interrupted command, which has written nothing.
std::int64_t run_job(std::string_view verb, bool json, const std::function<void(Job&)>& work);

}  // namespace mortise::token_tools
