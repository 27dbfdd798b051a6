// The command `generate` as users get it, with a model that counts.

#include <ATen/ops/full.h>
#include <doctest/doctest.h>

#include <iostream>
#include <mortise/run/command.hpp>
#include <mortise/run/inference.hpp>
#include <sstream>

#include "tests/unit/loaded_component.hpp"
#include "tests/unit/plugins_data/scratch_folder.hpp"

namespace {

using namespace mortise::tests;

// The byte after the last one is far more likely than any other; after `z` the document ends.
class CountingModel final : public mortise::TrainedModel {
 public:
  CountingModel(std::vector<std::int64_t>& lengths, bool decodes)
      : lengths_(lengths), decodes_(decodes) {}
  at::Tensor decode(const at::Tensor& tokens) override {
    if (!decodes_) return TrainedModel::decode(tokens);
    const at::Tensor all = logits(tokens);
    lengths_.back() *= -1;
    return all;
  }
  at::Tensor logits(const at::Tensor& tokens) override {
    lengths_.push_back(tokens.size(1));
    at::Tensor all = at::full({1, tokens.size(1), 257}, -50.0f);
    for (std::int64_t i = 0; i != tokens.size(1); ++i) {
      const auto last = tokens[0][i].item<std::int64_t>();
      all[0][i][last == 'z' ? 256 : last == 256 ? 'a' : last + 1] = 50.0f;
    }
    return all;
  }
  std::unique_ptr<mortise::Tokenizer> tokenizer() override {
    static const LoadedComponent bytes("byte_tokenizer", "byte");
    return std::make_unique<mortise::Remote<mortise::Tokenizer>>(
        bytes.object<mortise::Tokenizer>());
  }
  std::int64_t context_length() const override { return 4; }
  std::int64_t step() const override { return 1; }

 private:
  std::vector<std::int64_t>& lengths_;  // those of decode are negative
  bool decodes_;
};

class FakeInference final : public mortise::Inference {
 public:
  std::unique_ptr<mortise::TrainedModel> open(std::string_view path) override {
    opened = path;
    return std::make_unique<CountingModel>(lengths, decodes);
  }
  bool decodes = true;
  std::string opened;
  std::vector<std::int64_t> lengths;
};

std::string generate(FakeInference& inference, SettingList settings) {
  settings.emplace_back("run", "runs/x");
  std::ostringstream printed;
  std::streambuf* const kept = std::cout.rdbuf(printed.rdbuf());
  const LoadedComponent command(
      "generate", "generate", std::move(settings),
      {.services = {{mortise::Remote<mortise::Inference>::id,
                     mortise::kit::object_of<mortise::Inference>(inference)}}});
  CHECK(command.as<mortise::Command>().run() == 0);
  std::cout.rdbuf(kept);
  return printed.str();
}

}  // namespace

TEST_CASE("generate: continues the prompt up to the number of tokens") {
  FakeInference inference;
  CHECK(generate(inference, {{"prompt", "abc"}, {"tokens", 5}}) == "abcdefgh\n");
  CHECK(inference.opened == "runs/x");
  CHECK(inference.lengths == std::vector<std::int64_t>{-3, -1, 4, 4, 4});  // within the context
}

TEST_CASE("generate: without a cache it computes the whole text again for each token") {
  for (const bool decodes : {true, false}) {
    FakeInference inference;
    inference.decodes = decodes;
    CHECK(generate(inference, {{"prompt", "a"}, {"tokens", 5}, {"cache", !decodes}}) == "abcdef\n");
    CHECK(inference.lengths == std::vector<std::int64_t>{1, 2, 3, 4, 4});
  }
}

TEST_CASE("generate: stops at the end of the document, and begins one without a prompt") {
  FakeInference inference;
  CHECK(generate(inference, {{"prompt", "wx"}, {"temperature", 0.0}}) == "wxyz\n");
  CHECK(generate(inference, {{"tokens", 3}}) == "abc\n");
}

TEST_CASE("generate: bytes that are no text are shown as such") {
  FakeInference inference;
  const std::string out = generate(inference, {{"prompt", "\x7f"}, {"tokens", 2}});
  CHECK(out == "\x7f\xEF\xBF\xBD\xEF\xBF\xBD\n");
}

TEST_CASE("generate: without the host's service it says what is missing") {
  CHECK(contains(message_of<mortise::Error>([] {
                   LoadedComponent("generate", "generate", {{"run", "runs/x"}});
                 }),
                 "mortise/inference/1"));
}
