// `mortise plugin validate`: our plugins hold, and a plugin with one fault is caught for it.

#include <doctest/doctest.h>

#include <fstream>

#include "tests/end_to_end/trial.hpp"
#include "tests/unit/tokenizers/sentencepiece_model.hpp"
#include "tests/unit/tokenizers/small_ranks.hpp"

using namespace mortise::tests;
namespace fs = std::filesystem;

namespace {

Outcome validate(const Trial& trial, const fs::path& file, const Words& more = {}) {
  return trial.mortise(Words{"plugin", "validate", file.string()} + more);
}
fs::path fault(const std::string& name) {
  return fs::path(MORTISE_FIXTURE_PLUGIN_DIR) / "validation" / ("mortise_" + name + ".so");
}

// What our plugins need that has no default, and sizes that are quickly checked.
const std::map<std::string, Words>& settings() {
  static const Words sizes = {"width=8", "layers=2", "heads=2", "hidden=6"};
  static const std::map<std::string, Words> all = {
      {"llama", sizes},
      {"gpt2", sizes},
      {"text", {"files=words.txt", "cache=cache", "sequence_length=8"}},
      {"packed_tokens", {"files=text.pbin", "sequence_length=8"}},
      {"huggingface",
       {"file=" MORTISE_SOURCE_DIR "/tests/tokenizers/models/gpt2_tokenizer.json",
        "special_in_text=text"}},
      {"sentencepiece", {"file=small.model"}},
      {"tiktoken", {"file=small.tiktoken", "pattern=gpt2"}},
      {"mixture", {"sources={a: numbered, b: numbered}"}},
      {"data_tools", {"inputs=words.txt", "input=words.txt", "out=made.pbin"}},
      {"token_tools",
       {"inputs=text.pbin", "input=text.pbin", "out=made.pbin", "overwrite=true", "parts=2",
        "unique=true"}},
      {"generate", {"run=anything", "tokens=3"}}};
  return all;
}

bool makes_nothing(std::string_view plugin) {
  return plugin == "refuses_its_defaults" || plugin == "takes_all_memory";
}

// A sanitizer counts memory and answers crashes itself.
bool is_for_sanitizer([[maybe_unused]] std::string_view plugin) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return plugin.starts_with("leaks") || plugin.starts_with("crashes") ||
         plugin.starts_with("takes");
#else
  return false;
#endif
}

}  // namespace

TEST_CASE("plugin validate: every plugin of ours holds, with nothing left out") {
  const Trial trial;
  check_done(
      trial.mortise({"data", "pack", "words.txt", "--tokenizer", "byte", "-o", "text.pbin"}));
  std::ofstream(trial.path("small.model"), std::ios::binary) << small_model(true);
  std::ofstream(trial.path("small.tiktoken"), std::ios::binary) << small_ranks();
  int plugins = 0;
  for (const auto& entry : fs::directory_iterator(MORTISE_PLUGIN_DIR)) {
    if (entry.path().extension() != ".so") continue;
    const std::string name = entry.path().stem().string().substr(std::string("mortise_").size());
    CAPTURE(name);
    const auto own = settings().find(name);
    const Outcome outcome =
        validate(trial, entry.path(), own == settings().end() ? Words{} : sets(own->second));
    INFO(outcome.out);
    CHECK(outcome.exit == 0);
    CHECK_FALSE(contains(outcome.out, "skipped"));
    CHECK(contains(outcome.out, "expectations"));
    ++plugins;
  }
  CHECK(plugins >= 20);
}

TEST_CASE("plugin validate: a plugin with one fault is caught for it and for nothing else") {
  const Trial trial;
  struct Row {
    const char *plugin, *group, *failure;
  };
  for (const Row& row :
       {Row{"undocumented", "static", "undocumented.quiet: has no doc text"},
        Row{"prints_at_load", "load", "loading: prints"},
        Row{"starts_thread", "load", "threads: was 1, is 2"},
        Row{"changes_locale", "load", "locale: was C, C, is LC_CTYPE=C;LC_NUMERIC=C.UTF-8"},
        Row{"flushes_denormals", "load", "floating-point mode: was "},
        Row{"handles_signal", "load", "is Terminated ignored"},
        Row{"leaks", "life", "create and destroy 100 times: 3"},
        Row{"leaks_when_refused", "settings", "size = 8: a failed create leaves 3"},
        Row{"crashes_on_bound", "settings",
            "crashes_on_bound.size = 8: ended by signal 11 (Segmentation fault)"},
        Row{"takes_all_memory", "settings", "its defaults are refused: std::bad_alloc"},
        Row{"refuses_its_defaults", "settings", "its defaults are refused: size must not be 1"},
        Row{"breaks_contract", "contract", "past the horizon it is the final one"},
        Row{"hangs", "contract",
            "the suite of mortise/learning_rate_schedule/1: did not end in 2 s"}}) {
    CAPTURE(row.plugin);
    if (is_for_sanitizer(row.plugin)) continue;
    const Outcome outcome = validate(trial, fault(row.plugin), {"--json", "--time-limit", "2"});
    CHECK(outcome.exit == 3);
    INFO(outcome.said());
    const auto json = nlohmann::json::parse(outcome.out);
    CHECK(json["passed"] == false);
    for (const auto& check : json["checks"]) {
      const bool is_failed = check["outcome"] == "failed";
      // A component that cannot be made fails in every check that makes it.
      if (!makes_nothing(row.plugin)) CHECK(is_failed == (check["group"] == row.group));
      if (check["group"] == row.group) CHECK(contains(check["failures"].dump(), row.failure));
    }
  }
}

TEST_CASE("plugin validate: a crash at the end of the process is the plugin's") {
  if (is_for_sanitizer("crashes_at_exit")) return;
  const Trial trial;
  const Outcome outcome = validate(trial, fault("crashes_at_exit"));
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.out, "FAILED   life      crashes_at_exit"));
  CHECK(contains(outcome.out, "exit: ended by signal 6 (Aborted)"));
}

TEST_CASE("plugin validate: text and JSON say what was checked, and with which seed") {
  const Trial trial;
  const Outcome text = validate(trial, fault("no_fault"), {"--seed", "77"});
  check_done(text);
  CHECK(contains(text.out, "org.mortise.test.no_fault " MORTISE_VERSION ", seed 77\n"));
  CHECK(contains(text.out, "all 6 checks hold\n"));
  const auto json = nlohmann::json::parse(validate(trial, fault("no_fault"), {"--json"}).out);
  CHECK(json["passed"] == true);
  CHECK(json["seed"] == 1);
  CHECK(json["id"] == "org.mortise.test.no_fault");
  Words groups;
  for (const auto& check : json["checks"]) {
    groups.push_back(check["group"]);
    CHECK(check["outcome"] == "ok");
  }
  CHECK(groups == Words{"gate", "static", "load", "life", "settings", "contract"});
}

TEST_CASE("plugin validate: what the gate refuses is not run") {
  const Trial trial;
  trial.write("broken.so", "no library");
  const Outcome outcome = validate(trial, trial.path("broken.so"));
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.out, "FAILED   gate\n    P1002"));
  CHECK(contains(outcome.out, "1 of 1 checks failed"));
}

TEST_CASE("plugin validate: settings that are missing are asked for, wrong ones are told") {
  const Trial trial;
  const fs::path text = fs::path(MORTISE_PLUGIN_DIR) / "mortise_text.so";
  const Outcome missing = validate(trial, text);
  check_done(missing);
  CHECK(count(missing.out, "skipped") == 4);  // three checks, and the last line
  CHECK(contains(missing.out, "text: needs files: give each with --set files=VALUE\n"));
  CHECK(contains(missing.out, "nothing failed, but 3 of 6 checks were skipped\n"));
  check_refused(validate(trial, fault("no_fault"), {"--set", "no_fault.sice=3"}), 2,
                {"error[C0024]", "no component of the plugin has no_fault.sice",
                 "did you mean no_fault.size?"});
  check_refused(validate(trial, fault("no_fault"), {"--set", "size"}), 2, {"error[C0023]"});
  const Outcome wrong = validate(trial, fault("no_fault"), {"--set", "size=nine"});
  CHECK(wrong.exit == 3);
  CHECK(contains(wrong.out, "size: "));
  check_refused(trial.mortise({"plugin", "validate"}), 2, {"error[C0903]"});
}
