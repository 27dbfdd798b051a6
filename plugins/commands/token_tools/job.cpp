#include "job.hpp"

#include "../data_tools/interrupt.hpp"

namespace mortise::token_tools {

namespace {

struct Interrupted {};

}  // namespace

void Job::begin(const std::vector<Input>& inputs) {
  work_.total_bytes = 0;
  for (const Input& input : inputs)
    work_.total_bytes += std::int64_t(input.file.token_bytes().size());
}

void Job::passed(const Input& input, std::size_t tokens) {
  if (data_tools::Interrupt::signal() != 0) throw Interrupted{};
  work_.tokens += std::int64_t(tokens);
  work_.done_bytes += std::int64_t(tokens) * input.file.bytes_per_token();
  work_.text_bytes = work_.done_bytes;
  progress_.show(work_);
}

std::string Job::result(const std::vector<std::string>& files, const std::string& more) const {
  std::string list;
  for (const std::string& file : files) list += (list.empty() ? "" : ", ") + file;
  return "{\"type\": \"result\", " + data_tools::progress_json(work_, progress_.seconds()) + more +
         ", \"files\": [" + list + "]}";
}

std::int64_t run_job(std::string_view verb, bool json, const std::function<void(Job&)>& work) {
  const data_tools::Interrupt interrupt;
  try {
    Job job(verb, json ? data_tools::Progress::Form::json : data_tools::Progress::Form::line);
    work(job);
  } catch (const Interrupted&) {
    return interrupt.tell();
  }
  return 0;
}

}  // namespace mortise::token_tools
