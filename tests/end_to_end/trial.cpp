#include "tests/end_to_end/trial.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace mortise::tests {
namespace {

namespace fs = std::filesystem;

const fs::path kProgram = fs::path(MORTISE_BUILD_DIR) / "bin" / "mortise";
const fs::path kSource = MORTISE_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + " cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Messages with an id: "FILE:3:1: error[C0103]: …".
std::ptrdiff_t errors_in(const std::string& text) {
  static const std::regex id("error\\[[A-Z][0-9]{4}\\]: ");
  return std::distance(std::sregex_iterator(text.begin(), text.end(), id), {});
}

Words numbers_in(const std::vector<nlohmann::json>& records, int from_step) {
  Words all;
  for (const nlohmann::json& record : records) {
    if (!record.contains("step") || record["step"] < from_step) continue;
    for (const auto& [name, value] : record.items())
      if (name.rfind("train/", 0) == 0 || name.rfind("eval/", 0) == 0)
        all.push_back(record["step"].dump() + " " + name + " " + value.dump());
  }
  return all;
}

}  // namespace

Trial::Trial() {
  std::string name = (fs::temp_directory_path() / "mortise_trial_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  folder_ = name;
  write("words.txt", text_of(kSource / "configs/shakespeare/shakespeare.txt").substr(0, 6000));
  write("run.yaml", text_of(kSource / "tests/fixtures/runs/tiny.yaml"));
}

Trial::~Trial() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Trial::write(const std::string& name, const std::string& text) const {
  fs::create_directories(path(name).parent_path());
  std::ofstream(path(name), std::ios::binary) << text;
}

std::string Trial::read(const std::string& name) const { return text_of(path(name)); }

Words Trial::names(const std::string& folder) const {
  Words all;
  if (!has(folder)) return all;
  for (const auto& entry : fs::directory_iterator(path(folder)))
    all.push_back(entry.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

Program::Start Trial::start(const Words& arguments, const Environment& environment) const {
  Program::Start start;
  start.command = Words{kProgram.string()} + arguments;
  start.folder = folder_;
  start.environment = {{"OMP_NUM_THREADS", "1"},
                       {"HOME", folder_.string()},
                       {"XDG_CACHE_HOME", (folder_ / "cache").string()}};
  for (const auto& [name, value] : environment) start.environment[name] = value;
  return start;
}

Outcome Trial::mortise(const Words& arguments, const Environment& environment) const {
  Program program(start(arguments, environment));
  Outcome outcome = program.wait();
  CHECK(program.left_behind().empty());
  return outcome;
}

Outcome Trial::run(int ranks, const Words& more) const {
  return mortise(Words{"run", "run.yaml", "-n", std::to_string(ranks)} + more);
}

Outcome Trial::typed(const std::string& line) const {
  Program::Start shell = start({});
  const std::string path = kProgram.parent_path().string() + ":/usr/bin:/bin";
  shell.command = {"/bin/sh", "-c", line};
  shell.environment["PATH"] = path;
  return Program(shell).wait();
}

std::vector<nlohmann::json> Trial::metrics(const std::string& run) const {
  std::vector<nlohmann::json> all;
  std::istringstream lines(read(run + "/metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

Words Trial::numbers(const std::string& run, int from_step) const {
  return numbers_in(metrics(run), from_step);
}

Words Trial::numbers_since_resume(const std::string& run) const {
  std::vector<nlohmann::json> records = metrics(run);
  const auto marker = std::find_if(records.rbegin(), records.rend(),
                                   [](const auto& r) { return r.contains("resumed_at"); });
  REQUIRE(marker != records.rend());
  records.erase(records.begin(), marker.base());
  return numbers_in(records, 0);
}

void Trial::copy_run(const std::string& from, const std::string& to, int step) const {
  fs::create_directories(path(to).parent_path());
  fs::copy(path(from), path(to), fs::copy_options::recursive);
  for (const std::string& name : names(to + "/checkpoints"))
    if (std::stoi(name.substr(5)) > step) fs::remove_all(path(to + "/checkpoints/" + name));
}

std::vector<double> Trial::series(const std::string& name, const std::string& run) const {
  std::vector<double> all;
  for (const nlohmann::json& record : metrics(run))
    if (record.contains(name)) all.push_back(record[name].get<double>());
  return all;
}

fs::path fixture_plugin(const std::string& name) {
  const fs::path plugins = fs::path(MORTISE_BUILD_DIR) / "tests/plugins";
  const fs::path file(name);
  return file.has_parent_path() ? plugins / (name + ".so") : plugins / ("mortise_" + name + ".so");
}

Words sets(const Words& assignments) {
  Words all;
  for (const std::string& a : assignments) all = all + Words{"--set", a};
  return all;
}

Words operator+(Words some, const Words& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string rest_of_line(const std::string& text, const std::string& before) {
  const std::size_t found = text.find(before);
  if (found == std::string::npos) return "";
  const std::size_t from = found + before.size();
  return text.substr(from, text.find('\n', from) - from);
}

void check_done(const Outcome& outcome) {
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK_FALSE(outcome.timed_out);
  CHECK(errors_in(outcome.err) == 0);
}

void check_refused(const Outcome& outcome, int exit, const Words& parts) {
  CAPTURE(outcome.err);
  CHECK(outcome.exit == exit);
  CHECK(outcome.signal == 0);
  CHECK_FALSE(outcome.timed_out);
  CHECK(errors_in(outcome.err) == 1);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(contains(outcome.err, part));
  }
  for (const char* dump : {"bug:", "terminate called", "Exception raised from", "frame #"})
    CHECK_FALSE(contains(outcome.err, dump));
}

}  // namespace mortise::tests
