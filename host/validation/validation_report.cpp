// Text and JSON of `mortise plugin validate`.

#include "host/loading/report/report_json.hpp"
#include "host/validation/validation.hpp"

namespace mortise::host {
namespace {

using Outcome = ValidationCheck::Outcome;

const char* word(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "ok";
    case Outcome::failed:
      return "FAILED";
    default:
      return "skipped";
  }
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string line_of(const ValidationCheck& check) {
  std::string line =
      "  " + padded(word(check.outcome), 9) + padded(check.group, 10) + check.component;
  if (check.checked > 0) line += " (" + std::to_string(check.checked) + " expectations)";
  if (check.outcome == Outcome::skipped) line += ": " + check.reason;
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string details(const ValidationCheck& check) {
  std::string text;
  for (const std::string& failure : check.failures) text += "    " + failure + "\n";
  if (check.output.empty()) return text;
  text += "    it has printed:\n";
  std::size_t from = 0;
  while (from < check.output.size()) {
    const std::size_t end = std::min(check.output.find('\n', from), check.output.size());
    text += "      " + check.output.substr(from, end - from) + "\n";
    from = end + 1;
  }
  return text;
}

}  // namespace

std::string validation_text(const Validation& validation) {
  const Judgement& judgement = validation.judgement;
  std::string text = judgement.file.string();
  if (judgement.manifest) text += ": " + judgement.manifest->id + " " + judgement.manifest->version;
  text += ", seed " + std::to_string(validation.seed) + "\n";
  std::size_t failed = 0, skipped = 0;
  for (const ValidationCheck& check : validation.checks) {
    text += line_of(check) + details(check);
    failed += check.outcome == Outcome::failed ? 1 : 0;
    skipped += check.outcome == Outcome::skipped ? 1 : 0;
  }
  const std::string all = std::to_string(validation.checks.size());
  if (failed > 0) return text + std::to_string(failed) + " of " + all + " checks failed\n";
  if (skipped > 0)
    return text + "nothing failed, but " + std::to_string(skipped) + " of " + all +
           " checks were skipped\n";
  return text + "all " + all + " checks hold\n";
}

std::string validation_json(const Validation& validation) {
  Json checks = Json::array();
  for (const ValidationCheck& check : validation.checks)
    checks.push_back(
        {{"group", check.group},
         {"component", check.component},
         {"outcome", check.outcome == Outcome::failed ? "failed" : word(check.outcome)},
         {"failures", check.failures},
         {"reason", check.reason},
         {"checked", check.checked},
         {"signal", check.signal},
         {"late", check.late},
         {"output", check.output},
         {"milliseconds", check.took.count()}});
  Json json = judgement_json(validation.judgement);
  json["seed"] = validation.seed;
  json["passed"] = validation.passed();
  json["checks"] = std::move(checks);
  return printed(json);
}

}  // namespace mortise::host
