#include "host/cli/inference_service.hpp"

#include <ATen/ops/arange.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/checkpoint/checkpoint_folder.hpp"
#include "host/checkpoint/files/storage_failure.hpp"
#include "host/cli/metrics_service.hpp"
#include "host/cli/temporary_file.hpp"
#include "host/distributed/mesh.hpp"
#include "host/training/program.hpp"
#include "host/training/saved_state.hpp"

namespace mortise::host {
namespace {

std::filesystem::path checkpoint_at(const std::filesystem::path& path) {
  const auto warn = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  if (!std::filesystem::is_directory(path))
    throw storage_failure(storage::not_found, path, "there is no such run or checkpoint",
                          "give the folder of a run, runs/NAME, or of one checkpoint, "
                          "runs/NAME/checkpoints/step_00000200");
  if (std::filesystem::exists(path / "index.json")) return path;
  return CheckpointFolder(path / "checkpoints", warn).resolve("latest");
}

// The tokenizer of a model, lent as long as the model lives.
class LentTokenizer final : public Tokenizer {
 public:
  explicit LentTokenizer(const Tokenizer& t) : t_(t) {}
  std::vector<std::uint32_t> encode(std::string_view text) const override {
    return t_.encode(text);
  }
  std::string decode(std::span<const std::uint32_t> ids) const override { return t_.decode(ids); }
  std::int64_t vocabulary_size() const override { return t_.vocabulary_size(); }
  std::vector<SpecialToken> special_tokens() const override { return t_.special_tokens(); }
  std::string fingerprint() const override { return t_.fingerprint(); }

 private:
  const Tokenizer& t_;
};

class LoadedModel final : public TrainedModel {
 public:
  LoadedModel(const std::filesystem::path& folder, const std::vector<std::string>& plugin_files)
      : checkpoint_(Checkpoint::open(folder)),
        config_(checkpoint_.state().value("config", std::string())),
        session_(plugin_files, request()),
        file_(session_.load()),
        settings_(read_run_settings(file_.root)),
        log_(0, 1),
        log_service_(log_),
        mesh_({{"dp", 1}}, {}, nullptr, std::chrono::seconds(60)) {
    services_.offer<Logger>(log_service_);
    services_.offer<Metrics>(metrics_service_);
    services_.offer<Mesh>(mesh_);
    model_ = std::make_unique<ModelProgram>(
        ProgramRequest{file_.root, settings_, session_.plugins(), services_, mesh_}, false);
    load_weights(model_->engine(), checkpoint_);
  }

  at::Tensor logits(const at::Tensor& tokens) override {
    check(tokens);
    return model_->engine().infer(batch_of(tokens, 0));
  }
  at::Tensor decode(const at::Tensor& tokens) override {
    if (!model_->decodes()) return TrainedModel::decode(tokens);
    check(tokens);
    if (decoded_ > 0 && tokens.size(0) != sequences_)
      throw Error(ErrorCode::bad_argument, "decode goes on with " + std::to_string(sequences_) +
                                               " sequences, got " + std::to_string(tokens.size(0)));
    if (decoded_ + tokens.size(1) > context_length())
      throw Error(ErrorCode::bad_argument, "decode: " + std::to_string(decoded_ + tokens.size(1)) +
                                               " positions are more than " +
                                               std::to_string(context_length()));
    const at::Tensor logits = model_->engine().decode(batch_of(tokens, decoded_), kept_);
    sequences_ = tokens.size(0);
    decoded_ += tokens.size(1);
    return logits;
  }
  void restart() override {
    kept_.clear();
    decoded_ = 0;
  }
  std::unique_ptr<Tokenizer> tokenizer() override {
    if (model_->tokenizer() == nullptr)
      throw Error(ErrorCode::bad_settings, "the run of this checkpoint has no tokenizer");
    return std::make_unique<LentTokenizer>(*model_->tokenizer());
  }
  std::int64_t context_length() const override { return settings_.sequence_length; }
  std::int64_t step() const override { return checkpoint_.step(); }

 private:
  LoadRequest request() const {
    LoadRequest r = request_for(config_.path(), {});
    r.defaults_file.clear();  // everything stands in the resolved file
    return r;
  }
  static Batch batch_of(const at::Tensor& tokens, std::int64_t first) {
    Batch batch;
    batch.set("tokens", tokens);
    batch.set("positions", at::arange(first, first + tokens.size(1), at::kLong)
                               .expand({tokens.size(0), tokens.size(1)})
                               .contiguous());
    return batch;
  }
  void check(const at::Tensor& tokens) const {
    if (tokens.dim() != 2 || tokens.size(1) < 1 || tokens.size(1) > context_length())
      throw Error(ErrorCode::bad_argument,
                  "tokens must be [B, T] with T from 1 to " + std::to_string(context_length()));
    const std::int64_t largest = tokens.max().item<std::int64_t>(),
                       rows = model_->vocabulary_size();
    if (tokens.min().item<std::int64_t>() < 0 || (rows > 0 && largest >= rows))
      throw Error(ErrorCode::bad_argument, "token id " + std::to_string(largest) +
                                               " is not in the vocabulary of " +
                                               std::to_string(rows));
  }

  Checkpoint checkpoint_;
  TemporaryFile config_;
  Session session_;
  RunFile file_;
  RunSettings settings_;
  RunLog log_;
  LogService log_service_;
  MetricsService metrics_service_;
  HostMesh mesh_;
  Services services_;
  std::unique_ptr<ModelProgram> model_;
  KeptStates kept_;
  std::int64_t decoded_ = 0, sequences_ = 0;  // positions and texts that kept_ comes from
};

}  // namespace

std::unique_ptr<TrainedModel> InferenceService::open(std::string_view path) {
  try {
    return std::make_unique<LoadedModel>(checkpoint_at(std::filesystem::path(path)), plugin_files_);
  } catch (const Failure& f) {
    failed_ = f;
    throw Error(f.exit() == Exit::configuration ? ErrorCode::bad_settings : ErrorCode::storage,
                f.what());
  }
}

}  // namespace mortise::host
