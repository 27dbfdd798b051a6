// Model: the Llama family (Touvron et al. 2023): RMSNorm before each branch, rotary positions,
// grouped-query attention (Ainslie et al. 2023), SwiGLU (Shazeer 2020); optional norm of queries
// and keys for each head (Dehghani et al. 2023). Parameters are named as Hugging Face names them.

#include <mortise/model/declaration.hpp>
#include <mortise/plugin.hpp>

#include "../rotary.hpp"

namespace {

using namespace mortise;

class Llama final : public Model {
 public:
  struct Config {
    std::int64_t width = 0, layers = 0, heads = 0;
    std::optional<std::int64_t> kv_heads, hidden;
    std::int64_t vocabulary_size = 0, context_length = 0;
    double rope_theta = 10000, norm_epsilon = 1e-5, dropout = 0;
    bool qk_norm = false, tied = true, bias = false;
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
              .doc("query heads; divides width")
              .known_as("n_head", "num_attention_heads", "n_heads"),
          field("kv_heads", &Config::kv_heads)
              .at_least(1)
              .doc("key and value heads; divides heads, which it is when not set")
              .known_as("num_key_value_heads", "n_kv_heads", "n_query_groups"),
          field("hidden", &Config::hidden)
              .at_least(1)
              .doc("width inside SwiGLU; when not set, 8/3 of width, up to a multiple of 64")
              .known_as("intermediate_size", "n_inner", "ffn", "ffn_hidden_size"),
          field("vocabulary_size", &Config::vocabulary_size)
              .at_least(1)
              .defaults_to("tokenizer.vocabulary_size")
              .doc("rows of embedding and head")
              .known_as("vocab_size", "padded_vocab_size"),
          field("context_length", &Config::context_length)
              .at_least(1)
              .defaults_to("batch.sequence_length")
              .doc("longest text that it is made for; rotary positions do not end there")
              .known_as("max_position_embeddings", "block_size", "n_ctx", "n_positions"));
    }
    static constexpr auto settings() {
      return std::tuple_cat(
          sizes(),
          fields(field("rope_theta", &Config::rope_theta)
                     .at_least(1)
                     .doc("base of the rotary frequencies")
                     .known_as("rope_base"),
                 field("norm_epsilon", &Config::norm_epsilon)
                     .at_least(0)
                     .doc("added to the mean square before its root")
                     .known_as("rms_norm_eps", "norm_eps"),
                 field("qk_norm", &Config::qk_norm).doc("RMSNorm of each query and key head"),
                 field("tied", &Config::tied)
                     .doc("the head shares the embedding's weight")
                     .known_as("tie_word_embeddings", "weight_tying"),
                 field("bias", &Config::bias)
                     .doc("biases in every linear layer but the head")
                     .known_as("attention_bias", "mlp_bias", "use_bias"),
                 field("dropout", &Config::dropout)
                     .between(0, 1)
                     .doc("probability, on what each branch adds to the residual")
                     .known_as("resid_pdrop"),
                 field("documents", &Config::documents)
                     .choice("joined", Documents::joined)
                     .choice("isolated", Documents::isolated)
                     .defaults_to("data.documents")
                     .doc("whether attention crosses document ends")));
    }
  };

  explicit Llama(const Config& config)
      : config_(checked(config)),
        head_width_(config_.width / config_.heads),
        rotary_(head_width_, config_.rope_theta) {
    declare_.unit("model.embed_tokens");
    embedding_ = declare_.embedding("model.embed_tokens", config_.vocabulary_size, config_.width);
    for (std::int64_t i = 0; i != config_.layers; ++i) blocks_.push_back(declare_block(i));
    declare_head();
  }

  std::vector<ParameterInfo> parameters() const override { return declare_.parameters; }
  std::vector<Layer> layers() const override { return declare_.layers; }
  Names units() const override { return declare_.units; }
  std::vector<PlacementRule> placements() const override {
    std::vector<PlacementRule> plan;
    const auto blocks = [&](const char* layer, Placement placement, std::int64_t parts = 0) {
      plan.push_back({std::string("model.layers.*.") + layer, placement, parts});
    };
    blocks("self_attn.q_proj", Placement::colwise, config_.heads);
    blocks("self_attn.k_proj", Placement::colwise, *config_.kv_heads);
    blocks("self_attn.v_proj", Placement::colwise, *config_.kv_heads);
    blocks("self_attn.o_proj", Placement::rowwise, config_.heads);
    for (const char* layer : {"mlp.gate_proj", "mlp.up_proj"}) blocks(layer, Placement::colwise);
    blocks("mlp.down_proj", Placement::rowwise);
    for (const char* layer : {"self_attn.q_norm", "self_attn.k_norm"})
      if (config_.qk_norm) blocks(layer, Placement::replicate_partial);
    plan.push_back({"model.embed_tokens", Placement::vocabulary});
    plan.push_back({"lm_head", Placement::vocabulary});
    return plan;
  }

  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override {
    if (visit.unit == 0) return {unit(embedding_, batch["tokens"])};
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
    LayerId norm1{}, attention_in{}, query{}, key{}, value{}, query_norm{}, key_norm{}, attention{},
        output{}, dropout1{}, norm2{}, feed_in{}, gate{}, up{}, activation{}, down{}, dropout2{};
  };

  static Config checked(Config c) {
    if (c.width < 1 || c.layers < 1 || c.heads < 1)
      throw ConfigError("width, layers and heads must be at least 1");
    if (c.vocabulary_size < 1) throw ConfigError("vocabulary_size is not set");
    if (c.width % c.heads != 0)
      throw ConfigError("heads must divide width" + values(c.heads, c.width));
    const std::int64_t kv_heads = c.kv_heads.value_or(c.heads);
    if (kv_heads < 1 || c.heads % kv_heads != 0)
      throw ConfigError("kv_heads must divide heads" + values(kv_heads, c.heads));
    if (c.width / c.heads % 2 != 0)
      throw ConfigError("rotary positions need an even head width: width / heads is " +
                        std::to_string(c.width / c.heads));
    c.kv_heads = kv_heads;
    if (!c.hidden) c.hidden = ((8 * c.width + 2) / 3 + 63) / 64 * 64;
    return c;
  }
  static std::string values(std::int64_t a, std::int64_t b) {
    return ": " + std::to_string(a) + " and " + std::to_string(b);
  }

  Block declare_block(std::int64_t i) {
    const std::string name = "model.layers." + std::to_string(i);
    const std::int64_t width = config_.width, kv_width = *config_.kv_heads * head_width_;
    declare_.unit(name, i);
    Block b;
    b.norm1 = declare_.norm(name + ".input_layernorm", width, config_.norm_epsilon);
    b.attention_in = declare_.layout(name + ".self_attn.layout");
    b.query = declare_.linear(name + ".self_attn.q_proj", width, width, config_.bias);
    b.key = declare_.linear(name + ".self_attn.k_proj", width, kv_width, config_.bias);
    b.value = declare_.linear(name + ".self_attn.v_proj", width, kv_width, config_.bias);
    if (config_.qk_norm) {
      b.query_norm = declare_.norm(name + ".self_attn.q_norm", head_width_, config_.norm_epsilon);
      b.key_norm = declare_.norm(name + ".self_attn.k_norm", head_width_, config_.norm_epsilon);
    }
    b.attention = declare_.attention(name + ".self_attn", width, config_.documents);
    b.output = declare_.linear(name + ".self_attn.o_proj", width, width, config_.bias);
    b.norm2 = declare_.norm(name + ".post_attention_layernorm", width, config_.norm_epsilon);
    b.feed_in = declare_.layout(name + ".mlp.layout");
    b.gate = declare_.linear(name + ".mlp.gate_proj", width, *config_.hidden, config_.bias);
    b.up = declare_.linear(name + ".mlp.up_proj", width, *config_.hidden, config_.bias);
    b.activation = declare_.activation(name + ".mlp.act_fn", "swiglu");
    b.down = declare_.linear(name + ".mlp.down_proj", *config_.hidden, width, config_.bias);
    if (config_.dropout > 0) {
      b.dropout1 = declare_.dropout(name + ".self_attn.resid_dropout", config_.dropout);
      b.dropout2 = declare_.dropout(name + ".mlp.dropout", config_.dropout);
    }
    return b;
  }

  void declare_head() {
    declare_.unit("lm_head");
    norm_ = declare_.norm("model.norm", config_.width, config_.norm_epsilon);
    head_in_ = declare_.layout("lm_head.layout");
    if (config_.tied) {
      head_ = declare_.tied_linear("lm_head", declare_.weight_of(embedding_));
      return;
    }
    head_ = declare_.linear("lm_head", config_.width, config_.vocabulary_size, false, Role::head);
    declare_.parameters.back().axes = {Axis::vocabulary, Axis::in};
  }

  at::Tensor attend(const Block& b, UnitContext& unit, const at::Tensor& x, const Batch& batch) {
    const rotary::Angles& angles = rotary_.angles(batch["positions"]);
    const at::Tensor a = unit(b.attention_in, unit(b.norm1, x));
    at::Tensor q = heads(unit(b.query, a));
    at::Tensor k = heads(unit(b.key, a));
    const at::Tensor v = heads(unit(b.value, a)).transpose(1, 2);
    if (config_.qk_norm) q = unit(b.query_norm, q);
    if (config_.qk_norm) k = unit(b.key_norm, k);
    q = rotary::turn(q.transpose(1, 2), angles);
    k = rotary::turn(k.transpose(1, 2), angles);
    const at::Tensor mixed = unit(b.attention, attention_inputs(q, k, v, batch));
    const at::Tensor out = unit(b.output, mixed.transpose(1, 2).flatten(2));
    return x.add(dropped(b.dropout1, unit, out));
  }

  at::Tensor feed_forward(const Block& b, UnitContext& unit, const at::Tensor& x) const {
    const at::Tensor m = unit(b.feed_in, unit(b.norm2, x));
    const at::Tensor gate = unit(b.gate, m);
    const at::Tensor up = unit(b.up, m);
    const at::Tensor inner = unit(b.activation, {gate, up});
    const at::Tensor out = unit(b.down, inner);
    return x.add(dropped(b.dropout2, unit, out));
  }

  // [B, T, H * D] -> [B, T, H, D]; under tensor parallelism H is this rank's share.
  at::Tensor heads(const at::Tensor& t) const {
    return t.view({t.size(0), t.size(1), -1, head_width_});
  }
  at::Tensor dropped(LayerId layer, UnitContext& unit, const at::Tensor& x) const {
    return config_.dropout > 0 ? unit(layer, x) : x;
  }

  Config config_;
  std::int64_t head_width_;
  rotary::Rotary rotary_;
  Declaration declare_;
  LayerId embedding_{}, norm_{}, head_in_{}, head_{};
  std::vector<Block> blocks_;
};

}  // namespace

MORTISE_PLUGIN("org.mortise.llama", MORTISE_VERSION,
               component<Llama, Model>("llama", "Llama-style decoder: RMSNorm, RoPE, GQA, SwiGLU"));
