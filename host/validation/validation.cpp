#include "host/validation/validation.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/suggestion.hpp"
#include "host/failure.hpp"
#include "host/process/child.hpp"
#include "host/validation/check_record.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;
using Outcome = ValidationCheck::Outcome;

// A folder for what components write, gone at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "mortise_validate_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Failure(
          "K0105", Exit::storage,
          "error[K0105]: no temporary folder can be made: " + name + ": " + std::strerror(errno));
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

ValidationCheck gate_check(const Judgement& judgement) {
  ValidationCheck check{.group = "gate"};
  for (const PluginFinding& finding : judgement.findings)
    if (finding.weight == PluginFinding::Weight::refusal)
      check.failures.push_back(in_one_line(finding));
  if (!check.failures.empty()) check.outcome = Outcome::failed;
  return check;
}

// A doc text for each setting, also of settings inside settings.
void check_docs(const nlohmann::json& field, const std::string& path,
                std::vector<std::string>& failures) {
  for (const auto& [name, setting] : properties_of(field).items()) {
    const std::string own = path + "." + name;
    if (setting.value("doc", "").empty()) failures.push_back(own + ": has no doc text");
    check_docs(setting, own, failures);
    for (const char* inner : {"items", "values"})
      if (setting.contains(inner)) check_docs(setting[inner], own, failures);
  }
}

ValidationCheck static_check(const Manifest& manifest) {
  ValidationCheck check{.group = "static"};
  for (const ManifestComponent& component : manifest.components) {
    if (component.doc.empty()) check.failures.push_back(component.key + ": has no doc text");
    check_docs(nlohmann::json::parse(component.settings), component.key, check.failures);
  }
  if (!check.failures.empty()) check.outcome = Outcome::failed;
  return check;
}

// Each KEY=VALUE must be for some component. Throws Failure with the nearest word.
void check_sets(const Manifest& manifest, const std::vector<std::string>& sets) {
  std::vector<std::string> known;
  for (const ManifestComponent& component : manifest.components) {
    const auto schema = nlohmann::json::parse(component.settings);
    for (const auto& [name, field] : properties_of(schema).items()) {
      known.push_back(name);
      known.push_back(component.key + "." + name);
    }
  }
  for (const std::string& set : sets) {
    const std::string key = set.substr(0, set.find('='));
    const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
    if (is_known && key.size() < set.size()) continue;
    const std::string near = nearest(key, known);
    throw Failure(is_known ? "C0023" : "C0024", Exit::configuration,
                  is_known ? "error[C0023]: --set " + set + ": expected KEY=VALUE"
                           : "error[C0024]: --set " + set + ": no component of the plugin has " +
                                 key + (near.empty() ? "" : "; did you mean " + near + "?"));
  }
}

std::string last_lines(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(in)), {});
  constexpr std::size_t kMost = 2000;
  return all.size() <= kMost ? all : all.substr(all.size() - kMost);
}

std::string ending(const ChildEnd& end, std::chrono::seconds limit) {
  if (end.late) return "did not end in " + std::to_string(limit.count()) + " s";
  if (end.signal != 0)
    return "ended by signal " + std::to_string(end.signal) + " (" + strsignal(end.signal) + ")";
  return "ended its process with exit code " + std::to_string(end.code);
}

// What the process has told, and how it has ended.
void read_record(const fs::path& file, const ChildEnd& end, std::chrono::seconds limit,
                 ValidationCheck& check) {
  std::ifstream in(file);
  std::string at = "start";
  bool done = false;
  for (std::string line; std::getline(in, line);) {
    const auto rest = [&](std::string_view word) { return line.substr(word.size()); };
    if (line.starts_with(record::at)) at = rest(record::at);
    if (line.starts_with(record::fail)) check.failures.push_back(rest(record::fail));
    if (line.starts_with(record::skip)) check.reason = rest(record::skip);
    if (line.starts_with(record::count)) check.checked = std::stoll(rest(record::count));
    done = done || line == record::done;
  }
  if (!end.done())
    check.failures.push_back((done ? "exit" : at) + ": " + ending(end, limit));
  else if (!done)
    check.failures.push_back(at + ": ended its process");
  check.outcome = !check.failures.empty() ? Outcome::failed
                  : check.reason.empty()  ? Outcome::passed
                                          : Outcome::skipped;
}

ValidationCheck run_check(const std::string& group, const std::string& component,
                          const ValidationRequest& request, const fs::path& file) {
  ValidationCheck check{.group = group, .component = component};
  const ScratchFolder scratch;
  const fs::path output = scratch.path() / "output", told = scratch.path() / "record";
  fs::create_directory(scratch.path() / "run");
  ChildStart start{
      {request.checker.string(), group, component, file.string(), (scratch.path() / "run").string(),
       told.string(), std::to_string(request.seed), std::to_string(request.memory)},
      output,
      request.limit};
  start.command.insert(start.command.end(), request.sets.begin(), request.sets.end());
  const auto begun = std::chrono::steady_clock::now();
  const ChildEnd end = run_child(start);
  check.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begun);
  check.signal = end.signal;
  check.late = end.late;
  read_record(told, end, request.limit, check);
  if (!end.done()) check.output = last_lines(output);
  return check;
}

}  // namespace

bool Validation::passed() const {
  return std::none_of(checks.begin(), checks.end(), [](const ValidationCheck& check) {
    return check.outcome == Outcome::failed;
  });
}

Validation validate_plugin(const ValidationRequest& request, const HostIdentity& host) {
  Validation validation{judge(request.file, host), request.seed, {}};
  validation.checks.push_back(gate_check(validation.judgement));
  if (!validation.judgement.accepted()) return validation;
  const Manifest& manifest = *validation.judgement.manifest;
  check_sets(manifest, request.sets);
  const fs::path& file = validation.judgement.file;
  validation.checks.push_back(static_check(manifest));
  validation.checks.push_back(run_check("load", "", request, file));
  if (!validation.passed()) return validation;  // what does not load well is not made
  for (const ManifestComponent& component : manifest.components)
    for (const char* group : {"life", "settings", "contract"})
      validation.checks.push_back(run_check(group, component.key, request, file));
  return validation;
}

}  // namespace mortise::host
