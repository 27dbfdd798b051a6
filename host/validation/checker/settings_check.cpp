#include <cmath>
#include <mortise/error.hpp>

#include "host/config/checking/checker.hpp"
#include "host/failure.hpp"
#include "host/validation/checker/checks.hpp"
#include "host/validation/checker/process_state.hpp"

namespace mortise::host {
namespace {

using Json = nlohmann::json;

struct Trial {
  std::string setting, text;
  bool outside = false;  // of its range: must be refused
};

std::string number_text(double value, bool whole) {
  if (whole) return std::to_string(std::int64_t(value));
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// Both ends of a range and what lies just beyond.
void add_bounds(const std::string& name, const Json& field, std::vector<Trial>& trials) {
  const bool whole = field.value("type", "") == "integer";
  if (!whole && field.value("type", "") != "number") return;
  for (const char* end : {"minimum", "maximum"}) {
    if (!field.contains(end)) continue;
    const double bound = field[end].get<double>();
    const double step = whole ? 1 : std::max(1e-9, std::abs(bound) * 1e-9);
    const bool low = std::string_view(end) == "minimum";
    trials.push_back({name, number_text(bound, whole)});
    trials.push_back({name, number_text(low ? bound - step : bound + step, whole), true});
  }
}

std::vector<Trial> trials_of(const Json& schema) {
  std::vector<Trial> trials;
  for (const auto& [name, field] : properties_of(schema).items()) {
    const std::string type = field.value("type", "");
    add_bounds(name, field, trials);
    if (type == "string" && field.contains("enum"))
      for (const Json& choice : field["enum"]) trials.push_back({name, choice.get<std::string>()});
    if (type == "boolean")
      for (const char* word : {"true", "false"}) trials.push_back({name, word});
  }
  return trials;
}

// Counts the reports of a failed call.
struct Reports {
  int count = 0;
  std::string message;
  static void report(void* self, mt_status, mt_text message, mt_text, mt_text) {
    auto& reports = *static_cast<Reports*>(self);
    ++reports.count;
    reports.message = kit::view(message);
  }
};

// Makes it once and gives it back. "": it was made; else the text of its refusal.
std::string try_to_make(const Subject& subject, const SubjectSettings& settings,
                        const std::string& what, Progress& progress) {
  Reports reports;
  const mt_error_sink sink{&reports, &Reports::report};
  Services& services = subject.services();
  const mt_context_v1 context{kit::head_of<mt_context_v1>(), &services, &Services::find,
                              kit::text(services.run_folder()), subject.seed()};
  void* made = nullptr;
  const mt_status status = subject.type().create(settings.tree->values(), &context, &made, &sink);
  if (status == 0) {
    if (made == nullptr) progress.fail(what + ": create succeeds, but makes nothing");
    if (made != nullptr) subject.type().destroy(made);
    return "";
  }
  if (reports.count != 1)
    progress.fail(what + ": a failed create must report once, not " +
                  std::to_string(reports.count) + " times");
  if (reports.message.empty()) progress.fail(what + ": an error says what is wrong");
  return reports.message.empty() ? "refused" : reports.message;
}

// A failed create leaves nothing behind.
void check_trace(const Subject& subject, const SubjectSettings& settings, const std::string& what,
                 Progress& progress) {
  constexpr int kTimes = 50;
  const auto before = process_state();
  const std::size_t bytes =
      bytes_left_behind(kTimes, [&] { try_to_make(subject, settings, what, progress); });
  if (bytes > 0)
    progress.fail(what + ": a failed create leaves " + std::to_string(bytes) + " bytes behind");
  for (const std::string& change : changes(before, process_state()))
    progress.fail(what + ": a failed create changes the process: " + change);
}

void run_trial(const Subject& subject, const Trial& trial, Progress& progress) {
  const std::string what = subject.key() + "." + trial.setting + " = " + trial.text;
  progress.at(what);
  SubjectSettings settings;
  try {
    settings = subject.settings({{trial.setting, trial.text, what}});
  } catch (const Failure&) {
    if (!trial.outside) progress.at(what + " (refused by a rule of the schema)");
    return;
  }
  const std::string refusal = try_to_make(subject, settings, what, progress);
  if (refusal.empty() && trial.outside)
    progress.fail(what + ": lies outside of its range and must be refused");
  if (!refusal.empty()) check_trace(subject, settings, what, progress);
}

}  // namespace

void check_settings_of(Subject& subject, Progress& progress) {
  progress.at("create with its defaults");
  const std::string refusal = try_to_make(subject, subject.settings(), "its defaults", progress);
  if (!refusal.empty()) progress.fail("its defaults are refused: " + refusal);
  for (const Trial& trial : trials_of(subject.schema())) run_trial(subject, trial, progress);
}

}  // namespace mortise::host
