// Model: GPT-2 (Radford et al. 2019): LayerNorm before each branch, learned or rotary positions, a
// two-layer perceptron or SwiGLU.
//
// Parameters are named as Hugging Face names them, with one difference: query, key and value stand
// apart (attn.q_proj, attn.k_proj, attn.v_proj), where Hugging Face has one attn.c_attn with its
// weight [in, 3 * out]; every weight here is [out, in]. With SwiGLU, mlp.c_gate goes through SiLU
// and multiplies mlp.c_fc. Dropout of attention weights is not there.

#include <mortise/model/declaration.hpp>
#include <mortise/plugin.hpp>

#include "../rotary.hpp"

namespace {

using namespace mortise;

enum class Positions { learned, rotary };
enum class Activation { gelu, gelu_tanh, swiglu };

class Gpt2 final : public Model {
 public:
  struct Config {
    std::int64_t width = 0, layers = 0, heads = 0;
    std::optional<std::int64_t> hidden;
    std::int64_t vocabulary_size = 0, context_length = 0, sequence_length = 0;
    Positions positions = Positions::learned;
    Activation activation = Activation::gelu_tanh;
    double rope_theta = 10000, norm_epsilon = 1e-5, dropout = 0;
    bool bias = true, tied = true;
    Documents documents = Documents::joined;

    static constexpr auto sizes() {
      return fields(
          field("width", &Config::width)
              .required()
              .between(1, 1048576)
              .doc("numbers for each position")
              .known_as("n_embd", "hidden_size", "d_model", "dim"),
          field("layers", &Config::layers)
              .required()
              .between(1, 10000)
              .doc("blocks")
              .known_as("n_layer", "num_hidden_layers", "num_layers", "n_layers"),
          field("heads", &Config::heads)
              .required()
              .between(1, 10000)
              .doc("attention heads; divides width")
              .known_as("n_head", "num_attention_heads", "n_heads"),
          field("hidden", &Config::hidden)
              .at_least(1)
              .doc("width inside the perceptron; when not set, 4 * width, and for swiglu 8/3 of "
                   "width, up to a multiple of 64")
              .known_as("n_inner", "intermediate_size", "ffn", "ffn_hidden_size"),
          field("vocabulary_size", &Config::vocabulary_size)
              .at_least(1)
              .defaults_to("tokenizer.vocabulary_size")
              .doc("rows of embedding and head")
              .known_as("vocab_size", "padded_vocab_size"),
          field("context_length", &Config::context_length)
              .at_least(1)
              .defaults_to("batch.sequence_length")
              .doc("number of learned positions")
              .known_as("n_positions", "n_ctx", "block_size", "max_position_embeddings"),
          field("sequence_length", &Config::sequence_length)
              .at_least(1)
              .defaults_to("batch.sequence_length")
              .doc("of the texts it is trained on; learned positions must reach so far"));
    }
    static constexpr auto settings() {
      return std::tuple_cat(
          sizes(),
          fields(
              field("positions", &Config::positions)
                  .choice("learned", Positions::learned)
                  .choice("rotary", Positions::rotary)
                  .doc("how a position enters")
                  .known_as("position_embedding", "pos_emb"),
              field("activation", &Config::activation)
                  .choice("gelu", Activation::gelu)
                  .choice("gelu_tanh", Activation::gelu_tanh)
                  .choice("swiglu", Activation::swiglu)
                  .doc("inside the perceptron; gelu_tanh is Hugging Face's gelu_new")
                  .known_as("activation_function", "hidden_act"),
              field("rope_theta", &Config::rope_theta)
                  .at_least(1)
                  .doc("base of the rotary frequencies")
                  .known_as("rope_base"),
              field("norm_epsilon", &Config::norm_epsilon)
                  .at_least(0)
                  .doc("added to the variance before its root")
                  .known_as("layer_norm_epsilon"),
              field("bias", &Config::bias).doc("biases in norms and in linear layers but the head"),
              field("tied", &Config::tied)
                  .doc("the head shares the embedding's weight")
                  .known_as("tie_word_embeddings", "weight_tying"),
              field("dropout", &Config::dropout)
                  .between(0, 1)
                  .doc("probability, on the embedding and on what each branch adds")
                  .known_as("resid_pdrop", "embd_pdrop"),
              field("documents", &Config::documents)
                  .choice("joined", Documents::joined)
                  .choice("isolated", Documents::isolated)
                  .defaults_to("data.documents")
                  .doc("whether attention crosses document ends")));
    }
  };

  explicit Gpt2(const Config& config)
      : config_(checked(config)),
        head_width_(config_.width / config_.heads),
        rotary_(head_width_, config_.rope_theta) {
    declare_embedding();
    for (std::int64_t i = 0; i != config_.layers; ++i) blocks_.push_back(declare_block(i));
    declare_head();
  }

  std::vector<ParameterInfo> parameters() const override { return declare_.parameters; }
  std::vector<Layer> layers() const override { return declare_.layers; }
  Names units() const override { return declare_.units; }
  std::vector<PlacementRule> placements() const override {
    std::vector<PlacementRule> plan;
    const auto blocks = [&](const char* layer, Placement placement, std::int64_t parts = 0) {
      plan.push_back({std::string("transformer.h.*.") + layer, placement, parts});
    };
    for (const char* layer : {"attn.q_proj", "attn.k_proj", "attn.v_proj"})
      blocks(layer, Placement::colwise, config_.heads);
    blocks("attn.c_proj", Placement::rowwise, config_.heads);
    if (gated()) blocks("mlp.c_gate", Placement::colwise);
    blocks("mlp.c_fc", Placement::colwise);
    blocks("mlp.c_proj", Placement::rowwise);
    plan.push_back({"transformer.wte", Placement::vocabulary});
    plan.push_back({"lm_head", Placement::vocabulary});
    return plan;
  }

  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override {
    if (visit.unit == 0) return {embed(unit, batch)};
    if (visit.unit > config_.layers) {
      const at::Tensor x = unit(head_in_, unit(norm_, hidden[0]));
      return {unit.end(head_, x)};
    }
    const Block& b = blocks_[std::size_t(visit.unit - 1)];
    const at::Tensor h = attend(b, unit, hidden[0], batch);
    return {feed_forward(b, unit, h)};
  }

 private:
  struct Block {
    LayerId norm1{}, attention_in{}, query{}, key{}, value{}, attention{}, output{}, dropout1{},
        norm2{}, feed_in{}, gate{}, up{}, activation{}, down{}, dropout2{};
  };

  static Config checked(Config c) {
    if (c.width < 1 || c.layers < 1 || c.heads < 1)
      throw ConfigError("width, layers and heads must be at least 1");
    if (c.vocabulary_size < 1) throw ConfigError("vocabulary_size is not set");
    if (c.width % c.heads != 0)
      throw ConfigError("heads must divide width: " + std::to_string(c.heads) + " and " +
                        std::to_string(c.width));
    if (c.positions == Positions::learned && c.context_length < 1)
      throw ConfigError("learned positions need context_length");
    if (c.positions == Positions::learned && c.sequence_length > c.context_length)
      throw ConfigError("context_length is " + std::to_string(c.context_length) +
                        ", sequences have " + std::to_string(c.sequence_length) +
                        " tokens (batch.sequence_length): learned positions must reach so far");
    if (c.positions == Positions::rotary && c.width / c.heads % 2 != 0)
      throw ConfigError("rotary positions need an even head width: width / heads is " +
                        std::to_string(c.width / c.heads));
    if (!c.hidden)
      c.hidden =
          c.activation == Activation::swiglu ? ((8 * c.width + 2) / 3 + 63) / 64 * 64 : 4 * c.width;
    return c;
  }
  bool gated() const { return config_.activation == Activation::swiglu; }
  bool learned() const { return config_.positions == Positions::learned; }

  void declare_embedding() {
    declare_.unit("transformer.wte");
    tokens_ = declare_.embedding("transformer.wte", config_.vocabulary_size, config_.width);
    if (learned()) {
      positions_ = declare_.embedding("transformer.wpe", config_.context_length, config_.width);
      declare_.parameters.back().axes = {Axis::other, Axis::out};
    }
    dropout_ = declare_dropout("transformer.drop");
  }

  Block declare_block(std::int64_t i) {
    const std::string name = "transformer.h." + std::to_string(i);
    const std::int64_t width = config_.width;
    declare_.unit(name, i);
    Block b;
    b.norm1 = declare_norm(name + ".ln_1");
    b.attention_in = declare_.layout(name + ".attn.layout");
    b.query = declare_.linear(name + ".attn.q_proj", width, width, config_.bias);
    b.key = declare_.linear(name + ".attn.k_proj", width, width, config_.bias);
    b.value = declare_.linear(name + ".attn.v_proj", width, width, config_.bias);
    b.attention = declare_.attention(name + ".attn", width, config_.documents);
    b.output = declare_.linear(name + ".attn.c_proj", width, width, config_.bias);
    b.dropout1 = declare_dropout(name + ".attn.resid_dropout");
    b.norm2 = declare_norm(name + ".ln_2");
    b.feed_in = declare_.layout(name + ".mlp.layout");
    if (gated())
      b.gate = declare_.linear(name + ".mlp.c_gate", width, *config_.hidden, config_.bias);
    b.up = declare_.linear(name + ".mlp.c_fc", width, *config_.hidden, config_.bias);
    constexpr const char* kKinds[] = {"gelu", "gelu_tanh", "swiglu"};
    b.activation = declare_.activation(name + ".mlp.act", kKinds[int(config_.activation)]);
    b.down = declare_.linear(name + ".mlp.c_proj", *config_.hidden, width, config_.bias);
    b.dropout2 = declare_dropout(name + ".mlp.dropout");
    return b;
  }

  void declare_head() {
    declare_.unit("lm_head");
    norm_ = declare_norm("transformer.ln_f");
    head_in_ = declare_.layout("lm_head.layout");
    if (config_.tied) {
      head_ = declare_.tied_linear("lm_head", declare_.weight_of(tokens_));
      return;
    }
    head_ = declare_.linear("lm_head", config_.width, config_.vocabulary_size, false, Role::head);
    declare_.parameters.back().axes = {Axis::vocabulary, Axis::in};
  }

  LayerId declare_norm(const std::string& name) {
    return declare_.norm(name, config_.width, config_.norm_epsilon, "layer", config_.bias);
  }
  LayerId declare_dropout(const std::string& name) {
    return config_.dropout > 0 ? declare_.dropout(name, config_.dropout) : LayerId{};
  }

  at::Tensor embed(UnitContext& unit, const Batch& batch) const {
    at::Tensor x = unit(tokens_, batch["tokens"]);
    if (learned()) x = x.add(unit(positions_, batch["positions"]));
    return dropped(dropout_, unit, x);
  }

  at::Tensor attend(const Block& b, UnitContext& unit, const at::Tensor& x, const Batch& batch) {
    const at::Tensor a = unit(b.attention_in, unit(b.norm1, x));
    at::Tensor q = heads(unit(b.query, a));
    at::Tensor k = heads(unit(b.key, a));
    const at::Tensor v = heads(unit(b.value, a));
    if (!learned()) {
      const rotary::Angles& angles = rotary_.angles(batch["positions"]);
      q = rotary::turn(q, angles);
      k = rotary::turn(k, angles);
    }
    const at::Tensor mixed = unit(b.attention, attention_inputs(q, k, v, batch));
    const at::Tensor out = unit(b.output, mixed.transpose(1, 2).flatten(2));
    return x.add(dropped(b.dropout1, unit, out));
  }

  at::Tensor feed_forward(const Block& b, UnitContext& unit, const at::Tensor& x) const {
    const at::Tensor m = unit(b.feed_in, unit(b.norm2, x));
    const at::Tensor out = unit(b.down, activated(b, unit, m));
    return x.add(dropped(b.dropout2, unit, out));
  }
  at::Tensor activated(const Block& b, UnitContext& unit, const at::Tensor& m) const {
    if (!gated()) return unit(b.activation, unit(b.up, m));
    const at::Tensor gate = unit(b.gate, m);
    const at::Tensor up = unit(b.up, m);
    return unit(b.activation, {gate, up});
  }

  // [B, T, H * D] -> [B, H, T, D]; under tensor parallelism H is this rank's share.
  at::Tensor heads(const at::Tensor& t) const {
    return t.view({t.size(0), t.size(1), -1, head_width_}).transpose(1, 2);
  }
  at::Tensor dropped(LayerId layer, UnitContext& unit, const at::Tensor& x) const {
    return config_.dropout > 0 ? unit(layer, x) : x;
  }

  Config config_;
  std::int64_t head_width_;
  rotary::Rotary rotary_;
  Declaration declare_;
  LayerId tokens_{}, positions_{}, dropout_{}, norm_{}, head_in_{}, head_{};
  std::vector<Block> blocks_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.gpt2", MORTISE_VERSION,
               component<Gpt2, Model>("gpt2", "GPT-2: LayerNorm, learned or rotary positions"));
