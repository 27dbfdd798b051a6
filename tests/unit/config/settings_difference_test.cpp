#include "host/config/settings_difference.hpp"

#include <doctest/doctest.h>

#include "host/failure.hpp"

using namespace mortise::host;

namespace {

// "path=value" for each.
std::vector<std::string> flat(const std::string& yaml) {
  std::vector<std::string> all;
  for (const FlatSetting& s : flatten_resolved(yaml, "config.yaml"))
    all.push_back(s.key + "=" + s.value);
  return all;
}

// What a map of sections has of one, as a checked file would.
Setting section(const std::string& name, std::vector<Entry> entries) {
  Setting inner, root;
  inner.value = std::move(entries);
  root.value = Setting::Map{{name, inner}};
  return root;
}

Setting with_origin(std::int64_t value, const std::string& origin) { return fact(value, origin); }

}  // namespace

TEST_CASE("settings difference: components stand at their path, elements of lists go by name") {
  CHECK(flat("run: {seed: 7, name: a}\nmodel: {use: llama, width: 8}\n") ==
        std::vector<std::string>{"run.seed=7", "run.name=a", "model=llama", "model.width=8"});
  CHECK(
      flat("optimizer: [{use: muon, betas: [0.9, 0.5]}, {use: adamw}, {use: adamw, rate: 1}]\n") ==
      std::vector<std::string>{"optimizer=[muon, adamw, 2]", "optimizer.muon=muon",
                               "optimizer.muon.betas=[0.9, 0.5]", "optimizer.adamw=adamw",
                               "optimizer.2=adamw", "optimizer.2.rate=1"});
  CHECK(flat("eval: {}\nrecompute:\n").empty());
  CHECK_THROWS_AS(flat("run: {seed: [}"), Failure);
}

TEST_CASE("settings difference: what follows from something else is left out") {
  const FlatSettings before =
      flatten_resolved("run: {seed: 7, gone: 1, same: 3, linked: 7, apart: 5}\n", "config.yaml");
  const Setting now = section("run", {{"seed", with_origin(8, "run.yaml:3:1")},
                                      {"same", with_origin(3, "run.yaml:4:1")},
                                      {"grown", with_origin(2, "default of run")},
                                      {"chosen", with_origin(2, "run.yaml:5:1")},
                                      {"linked", with_origin(8, "linked to run.seed")},
                                      {"apart", with_origin(6, "linked to run.other")},
                                      {"length", with_origin(9, "linked to run.steps")}});
  std::vector<std::string> found;
  for (const SettingChange& c : changes_since(before, now))
    found.push_back(c.key + ": " + c.before + " -> " + c.after);
  CHECK(found == std::vector<std::string>{"run.seed: 7 -> 8", "run.chosen:  -> 2",
                                          "run.apart: 5 -> 6", "run.gone: 1 -> "});
}

TEST_CASE("settings difference: below a component that was replaced nothing is listed") {
  Setting now = section("schedule", {});
  ComponentNode node;
  node.use = "linear";
  node.plugin = "org.mortise.linear";
  node.settings = {{"final", with_origin(1, "run.yaml:3:1")}};
  now.find("schedule")->value = node;
  const auto found =
      changes_since(flatten_resolved("schedule: {use: constant, warmup: 3}\n", "config.yaml"), now);
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "schedule");
  CHECK(found[0].before == "constant");
  CHECK(found[0].after == "linear");
}
