// precision.compute: bfloat16, as users run it.

#include <doctest/doctest.h>

#include <cstring>

#include "tests/end_to_end/trial.hpp"

namespace {

using namespace mortise::tests;
using nlohmann::json;

Words narrow(const std::string& folder, const Words& more = {}) {
  return sets({"precision.compute=bfloat16", "run.steps=6", "checkpoint.every=6",
               "run.folder=" + folder}) +
         more;
}

// Header and data of a safetensors file.
struct Tensors {
  json header;
  std::string data;
  std::vector<float> floats(const std::string& name) const {
    const json& offsets = header.at(name).at("data_offsets");
    const auto from = offsets.at(0).get<std::size_t>(), to = offsets.at(1).get<std::size_t>();
    std::vector<float> values((to - from) / sizeof(float));
    std::memcpy(values.data(), data.data() + from, to - from);
    return values;
  }
};

Tensors tensors(const Trial& trial, const std::string& file) {
  const std::string text = trial.read(file);
  std::uint64_t size = 0;
  std::memcpy(&size, text.data(), sizeof size);
  return {json::parse(text.substr(8, size)), text.substr(8 + size)};
}

}  // namespace

TEST_CASE("precision: bfloat16 gives the same losses to the last bit on 1, 2 and 3 ranks") {
  const Trial trial;
  for (int ranks = 1; ranks <= 3; ++ranks)
    check_done(trial.run(ranks, narrow("on" + std::to_string(ranks))));
  check_done(trial.run(2, narrow("ddp", sets({"parallel=[{use: ddp, reduction: micro_batch}]"}))));
  const Words alone = trial.numbers("on1/tiny");
  CHECK(alone.size() == 6 * 3 + 3 * 2);
  for (const char* folder : {"on2/tiny", "on3/tiny", "ddp/tiny"})
    CHECK(trial.numbers(folder) == alone);
  CHECK(contains(trial.read("on1/tiny/run.log"), "bfloat16 over float32 masters"));
}

TEST_CASE("precision: small updates are not lost, and all that is saved is float32 (R-15)") {
  const Trial trial;
  check_done(
      trial.run(1, sets({"precision.compute=bfloat16", "run.steps=100",
                         "optimizer.learning_rate=6e-4", "eval.every=100", "schedule=constant"})));
  const std::string folder = "runs/tiny/checkpoints/step_00000100/";
  const Tensors weights = tensors(trial, folder + "weights-00000.safetensors");
  int norms = 0;
  for (const auto& [name, tensor] : weights.header.items()) {
    if (name == "__metadata__") continue;
    CHECK(tensor.at("dtype") == "F32");
    if (!contains(name, "norm")) continue;
    ++norms;
    std::size_t moved = 0;
    const std::vector<float> values = weights.floats(name);
    for (const float v : values) moved += v != 1.0F;
    CHECK(moved == values.size());  // in bfloat16 1 - 6e-4 would be 1
  }
  CHECK(norms > 0);
  const Tensors slots = tensors(trial, folder + "optimizer-00000.safetensors");
  for (const auto& [name, tensor] : slots.header.items())
    if (name != "__metadata__") CHECK(tensor.at("dtype") == "F32");
}

TEST_CASE("precision: a run goes on in its own precision, and generates") {
  const Trial trial;
  check_done(trial.run(1, narrow("runs")));
  const Outcome other =
      trial.run(1, narrow("runs", sets({"precision.compute=float32", "run.steps=8"})));
  check_refused(other, 2, {"precision.compute", "bfloat16", "float32"});
  check_done(trial.run(2, narrow("runs", sets({"run.steps=8"}))));
  check_done(trial.mortise({"generate", "runs/tiny", "--prompt", "a", "--tokens", "5"}));
}
