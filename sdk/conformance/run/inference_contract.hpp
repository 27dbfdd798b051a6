#pragma once

// What a host's Inference service and the models that it opens owe a command.

#include <mortise/run/inference.hpp>

#include "../both_ways.hpp"
#include "../model/sample_parameters.hpp"

namespace mortise::conformance {

inline void check_trained_model_contract(TrainedModel& m, Report& report) {
  const std::int64_t longest = m.context_length();
  report.section("facts", [&] {
    report.expect(longest >= 1, "context_length: is at least 1");
    report.expect(m.step() >= 0, "step: is not negative");
    const std::unique_ptr<Tokenizer> tokenizer = m.tokenizer();
    report.expect(tokenizer != nullptr && tokenizer->vocabulary_size() >= 1,
                  "tokenizer: is the model's own");
  });
  report.section("logits", [&] {
    const std::int64_t length = std::min<std::int64_t>(longest, 4);
    const at::Tensor tokens = at::zeros({2, length}, at::kLong);
    const at::Tensor logits = m.logits(tokens);
    report.expect(logits.dim() == 3 && logits.size(0) == 2 && logits.size(1) == length,
                  "logits: are [B, T, V]");
    report.expect(logits.scalar_type() == at::kFloat, "logits: are float32");
    report.expect(logits.isfinite().all().item<bool>(), "logits: are finite");
    report.expect(!logits.requires_grad(), "logits: carry no graph");
    report.expect(logits.size(-1) >= m.tokenizer()->vocabulary_size(),
                  "logits: every token has one");
    report.expect(same_bits(m.logits(tokens), logits), "logits: the same every time");
  });
  report.section("decode", [&] {
    const at::Tensor tokens = at::zeros({2, std::min<std::int64_t>(longest, 4)}, at::kLong);
    const at::Tensor whole = m.logits(tokens);
    try {
      for (int round = 0; round != 2; ++round) {
        for (std::int64_t i = 0; i != tokens.size(1); ++i) {
          const at::Tensor one = m.decode(tokens.narrow(1, i, 1));
          report.expect(at::allclose(one, whole.narrow(1, i, 1), 1e-5, 1e-5),
                        "decode: the logits of the whole text");
        }
        m.restart();
      }
      report.expect_refusal(ErrorCode::bad_argument, "",
                            "decode: refuses more positions than context_length", [&] {
                              m.decode(at::zeros({1, longest}, at::kLong));
                              m.decode(at::zeros({1, 1}, at::kLong));
                            });
      m.restart();
    } catch (const Error& e) {
      report.expect(e.code() == ErrorCode::not_supported, "decode: works or is not supported");
    }
  });
  report.section("refusals", [&] {
    for (const std::int64_t id : {std::int64_t(-1), std::int64_t(1) << 40})
      report.expect_refusal(ErrorCode::bad_argument, "",
                            "logits: refuses an id that is out of range", [&] {
                              m.logits(at::full({1, 1}, id, at::kLong));
                            });
    report.expect_refusal(ErrorCode::bad_argument, "",
                          "logits: refuses more tokens than context_length", [&] {
                            m.logits(at::zeros({1, longest + 1}, at::kLong));
                          });
  });
}

// `path`: something that can be opened.
inline void check_inference_contract(Inference& service, std::string_view path, Report& report) {
  report.section("open", [&] {
    const std::unique_ptr<TrainedModel> model = service.open(path);
    if (report.expect(model != nullptr, "open: gives a model"))
      check_trained_model_contract(*model, report);
  });
  report.expect_refusal(ErrorCode::storage, "no_such_folder", "open: names what is missing",
                        [&] { service.open("no_such_folder"); });
}

}  // namespace mortise::conformance
