// What a dry run tells, against what ranks of the same run that the test forks were seen to use.

#include <ATen/Parallel.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/cli/rank_main.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/rehearsal/real_run.hpp"
#include "tests/training/forked_ranks.hpp"

namespace mortise::tests {
namespace {

using Json = nlohmann::json;
using Sets = std::vector<std::string>;

constexpr const char* kRun = R"(mortise: 1
run:        {name: dry, steps: 8}
batch:      {sequences: 12, sequence_length: 64, micro_batch: 2}
tokenizer:  byte
data:       {train: {use: text, files: words.txt}}
parallel:   [fsdp]
model:      {use: llama, width: 128, layers: 6, heads: 4, hidden: 352}
optimizer:  {use: adamw, learning_rate: 1e-3}
)";

// Run file, text, and what ranks have written.
struct Place {
  TemporaryFolder folder;
  Place() {
    std::ofstream(folder.path() / "run.yaml") << kRun;
    std::ofstream words(folder.path() / "words.txt");
    for (int i = 0; i != 4000; ++i) words << "word " << i * i << (i % 7 == 0 ? ".\n" : ", ");
  }
  std::string run() const { return (folder.path() / "run.yaml").string(); }
  std::filesystem::path result(const std::string& name) const { return folder.path() / name; }
  Json read(const std::string& name) const { return Json::parse(std::ifstream(result(name))); }
};

void check_all(const std::vector<int>& codes) {
  for (const int code : codes) REQUIRE(code == 0);
}

struct Case {
  std::string name;
  int ranks;
  Sets sets;
};

Json dry(const Place& place, const Case& c, int ranks) {
  check_all(run_forked(1, [&](int) {
    at::set_num_threads(1);
    host::RunArguments arguments;
    arguments.file = place.run();
    arguments.sets = c.sets;
    std::ofstream(place.result("dry")) << host::told(host::dry_run(arguments, ranks), true);
  }));
  return place.read("dry");
}

std::vector<Json> real(const Place& place, const Case& c) {
  std::filesystem::remove(place.result("store"));
  check_all(run_forked(c.ranks, [&](int rank) {
    at::set_num_threads(1);
    const RealRun run = train_for_real({place.run(), c.sets}, rank, c.ranks, place.result("store"));
    Json traffic = Json::object();
    for (const auto& [kind, count] : run.traffic) traffic[kind] = {count.first, count.second};
    std::ofstream(place.result("rank" + std::to_string(rank)))
        << Json{{"peak", run.peak}, {"traffic", traffic}};
    std::fflush(nullptr);
    std::_Exit(0);  // the allocator is still in use
  }));
  std::vector<Json> all;
  for (int rank = 0; rank != c.ranks; ++rank)
    all.push_back(place.read("rank" + std::to_string(rank)));
  return all;
}

Json traffic_of(const Json& rank) {
  Json all = Json::object();
  for (const Json& t : rank.at("traffic"))
    all[t["group"].get<std::string>() + " " + t["operation"].get<std::string>()] = {t["calls"],
                                                                                    t["bytes"]};
  return all;
}

std::vector<Case> cases() {
  return {
      {"fsdp on 2 ranks", 2, {}},
      {"fsdp on 2 ranks, a reduction for each micro-batch, recomputation",
       2,
       {"parallel.fsdp.reduction=micro_batch", "recompute=all"}},
      {"fsdp on 2 ranks, bfloat16, kept parameters",
       2,
       {"precision.compute=bfloat16", "parallel.fsdp.reshard=false"}},
      {"ddp on 2 ranks, ranks without a micro-batch", 2, {"parallel=[ddp]", "batch.sequences=10"}},
      {"fsdp on 4 ranks, two copies", 4, {"mesh.dp_replicate=2"}},
      {"fsdp on 4 ranks, recomputation of every second block", 4, {"recompute={every: 2}"}},
  };
}

}  // namespace

TEST_CASE("dry run: traffic is that of real ranks, memory within 10 % of their peaks") {
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    const Place place;
    const std::vector<Json> ranks = real(place, c);
    const Json told = dry(place, c, c.ranks);
    REQUIRE(told["rehearsed"].size() >= 2);
    for (const Json& r : told["rehearsed"]) {
      const Json& seen = ranks.at(r["rank"].get<std::size_t>());
      CAPTURE(r.dump());
      CAPTURE(seen.dump());
      CHECK(traffic_of(r).dump() == seen["traffic"].dump());
      const double peak = seen["peak"].get<double>();
      CHECK(r["memory"]["peak"].get<double>() == doctest::Approx(peak).epsilon(0.1));
    }
  }
}

TEST_CASE("dry run: refuses what a start refuses") {
  struct Refused {
    Sets sets;
    int ranks;
    std::string told;
  };
  const std::vector<Refused> all = {
      {{"mesh.dp=3"}, 4, "dp 3 needs 3 ranks, this run has 4"},
      {{"mesh.dp_replicate=3"}, 1000, "1000 ranks are no multiple of 3"},
      {{"mesh.pp=2"}, 8, "no strategy under parallel: puts units on them"},
      {{"mesh.tp=2"}, 8, "no strategy under parallel: uses this axis"},
  };
  const Place place;
  for (const Refused& r : all) {
    CAPTURE(r.told);
    check_all(run_forked(1, [&](int) {
      host::RunArguments arguments;
      arguments.file = place.run();
      arguments.sets = r.sets;
      std::string text = "nothing was refused";
      try {
        host::dry_run(arguments, r.ranks);
      } catch (const host::Failure& f) {
        text = f.exit() == host::Exit::configuration ? f.what() : "another exit code";
      }
      if (text.find(r.told) == std::string::npos) throw std::runtime_error(text);
    }));
  }
}

}  // namespace mortise::tests
