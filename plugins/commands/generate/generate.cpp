// Command `generate`: continues a text with a trained model, token by token. A token costs one
// position while the text fits the context of the model; after that the last context is computed
// for each.

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <iostream>
#include <mortise/plugin.hpp>
#include <mortise/random.hpp>
#include <mortise/run/command.hpp>
#include <mortise/run/inference.hpp>

#include "sampling.hpp"
#include "utf8_stream.hpp"

namespace {

using mortise::field;

class Generate final : public mortise::Command {
 public:
  using Services = mortise::services<mortise::Inference>;

  struct Config {
    std::string_view run, prompt;
    std::int64_t tokens = 200;
    double temperature = 0.8;
    std::int64_t top_k = 40;
    std::int64_t seed = 1337;
    bool cache = true;

    static constexpr auto settings() {
      return mortise::fields(
          field("run", &Config::run)
              .path()
              .positional()
              .required()
              .doc("folder of a run, or of one checkpoint"),
          field("prompt", &Config::prompt).doc("text to continue; empty: a new document"),
          field("tokens", &Config::tokens)
              .at_least(1)
              .doc("new tokens at most; end_of_document ends earlier"),
          field("temperature", &Config::temperature)
              .at_least(0)
              .doc("0: always the likeliest token; larger: more variety"),
          field("top_k", &Config::top_k)
              .at_least(0)
              .doc("draw from this many likeliest tokens; 0: all"),
          field("seed", &Config::seed).doc("equal seeds draw equal texts"),
          field("cache", &Config::cache).doc("false: compute the whole text again for each token"));
    }
  };

  Generate(const Config& config, mortise::Context& context)
      : config_(config), inference_(context.service<mortise::Inference>()), cached_(config.cache) {}

  std::int64_t run() override {
    const auto model = inference_.open(config_.run);
    const auto tokenizer = model->tokenizer();
    const std::int64_t end = end_of_document(*tokenizer);
    std::vector<std::uint32_t> ids = tokenizer->encode(config_.prompt);
    if (ids.empty()) begin_document(ids, end);
    mortise::generate::Utf8Stream stream;
    print(stream.next(tokenizer->decode(ids)));
    for (std::int64_t i = 0; i != config_.tokens; ++i) {
      const std::int64_t id = next(*model, ids, i);
      if (id == end) break;
      ids.push_back(static_cast<std::uint32_t>(id));
      print(stream.next(tokenizer->decode(ids)));
    }
    print(stream.rest(tokenizer->decode(ids)) + "\n");
    return 0;
  }

 private:
  // -1 when there is none.
  static std::int64_t end_of_document(const mortise::Tokenizer& tokenizer) {
    for (const mortise::SpecialToken& token : tokenizer.special_tokens())
      if (token.name == "end_of_document") return token.id;
    return -1;
  }

  // In training, a document follows the end of another one.
  static void begin_document(std::vector<std::uint32_t>& ids, std::int64_t end) {
    if (end < 0)
      throw mortise::ConfigError(
          "the model's tokenizer has no end_of_document to begin after: give a prompt");
    ids.push_back(static_cast<std::uint32_t>(end));
  }

  static void print(const std::string& text) {
    if (!text.empty()) std::cout << text << std::flush;
  }

  std::int64_t next(mortise::TrainedModel& model, const std::vector<std::uint32_t>& ids,
                    std::int64_t position) {
    const at::Tensor logits = logits_after(model, ids).select(0, 0).select(0, -1);
    const at::Tensor row = logits.to(at::kCPU, at::kFloat).contiguous();
    const std::uint64_t key = mortise::random::key_of(std::uint64_t(config_.seed), "generate");
    return mortise::generate::draw({row.data_ptr<float>(), std::size_t(row.numel())},
                                   {config_.temperature, config_.top_k},
                                   mortise::random::uniform(key, std::uint64_t(position)));
  }

  // [1, T, V]; the last position counts.
  at::Tensor logits_after(mortise::TrainedModel& model, const std::vector<std::uint32_t>& ids) {
    const auto length = std::int64_t(ids.size()), longest = model.context_length();
    if (cached_ && length <= longest) try {
        const at::Tensor logits = model.decode(last_of(ids, length - decoded_));
        decoded_ = length;
        return logits;
      } catch (const mortise::Error& e) {
        if (e.code() != mortise::ErrorCode::not_supported) throw;
        cached_ = false;
      }
    return model.logits(last_of(ids, std::min(length, longest)));
  }

  static at::Tensor last_of(const std::vector<std::uint32_t>& ids, std::int64_t count) {
    at::Tensor tokens = at::empty({1, count}, at::kLong);
    std::copy(ids.end() - count, ids.end(), tokens.data_ptr<std::int64_t>());
    return tokens;
  }

  Config config_;
  mortise::Inference& inference_;
  bool cached_;
  std::int64_t decoded_ = 0;  // ids that the model has in its cache
};

}  // namespace

MORTISE_PLUGIN("org.mortise.generate", MORTISE_VERSION,
               mortise::component<Generate, mortise::Command>(
                   "generate",
                   "continues a text with a trained model\n\n"
                   "example:\n"
                   "  mortise generate runs/shakespeare --prompt \"ROMEO:\" --seed 7"));
