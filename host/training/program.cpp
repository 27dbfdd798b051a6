#include "host/training/program.hpp"

#include "host/config/checking/suggestion.hpp"
#include "host/failure.hpp"
#include "host/training/horizon.hpp"
#include "host/wiring/failure_of_error.hpp"

namespace mortise::host {
namespace {

const Setting* section(const Setting& root, std::string_view name) {
  const Setting* s = root.find(name);
  return s != nullptr && s->is_set() ? s : nullptr;
}

// Path and node of each element of a list of components.
std::vector<std::pair<std::string, const Setting*>> elements(const Setting& root,
                                                             const std::string& name) {
  std::vector<std::pair<std::string, const Setting*>> all;
  if (const Setting* list = section(root, name))
    for (std::size_t i = 0; i != list->as_list().size(); ++i)
      all.emplace_back(name + "." + std::to_string(i), &list->as_list()[i]);
  return all;
}

std::vector<std::string> texts(const Setting* list) {
  std::vector<std::string> all;
  if (list != nullptr && list->is_set())
    for (const Setting& s : list->as_list()) all.push_back(s.as_text());
  return all;
}

template <class I>
std::unique_ptr<Remote<I>> required(Wiring& wiring, const Setting& root, const std::string& name) {
  if (section(root, name) == nullptr)
    throw Failure("C0304", Exit::configuration,
                  place_of(root) + "error[C0304]: " + name +
                      ": this run needs one, and no defaults.yaml names it");
  return wiring.make(name).as<I>();
}

// What is wrong with a setting in the eyes of the engine, which knows no files.
struct Blame {
  Spot spot;
  std::string text;
};

std::vector<std::string> names_for(const std::string& section, const Model& model) {
  std::vector<std::string> names;
  if (section == "layer_ops")
    for (const Layer& layer : model.layers()) names.push_back(layer.name);
  if (section == "recompute") return model.units();
  if (section != "optimizer") return names;
  for (int role = 0; role <= int(Role::other); ++role) names.emplace_back(name_of(Role(role)));
  for (const ParameterInfo& info : model.parameters()) names.push_back(info.name);
  return names;
}

// The pattern of a list of the run file that a text quotes; null where it quotes none.
const Setting* quoted_in(const Setting* list, const std::string& text) {
  if (list == nullptr || !list->is_list()) return nullptr;
  for (const Setting& s : list->as_list())
    if (s.is_text() && text.find("'" + s.as_text() + "'") != std::string::npos) return &s;
  return nullptr;
}

const Setting* quoted_pattern(const Setting& root, const std::string& section, const char* key,
                              const std::string& text) {
  if (*key == '\0') return quoted_in(root.find(section), text);
  for (const auto& [path, node] : elements(root, section))
    if (const Setting* pattern = quoted_in(host_key(*node, key), text)) return pattern;
  return nullptr;
}

Blame blame_of(const std::string& text, const Setting& root, const Model& model) {
  using Place = std::pair<std::string, const char*>;  // section and key of its nodes
  for (const auto& [section, key] :
       {Place("optimizer", "parameters"), Place("layer_ops", "layers"), Place("recompute", "")}) {
    const Setting* whole = root.find(section);
    if (!text.starts_with(section) || whole == nullptr) continue;
    const Setting* pattern = quoted_pattern(root, section, key, text);
    if (pattern == nullptr) return {{place_of(*whole), ""}, text};
    const std::string near = nearest(pattern->as_text(), names_for(section, model));
    const std::string told =
        text.substr(text.starts_with(section + ": ") ? section.size() + 2 : text.find('\''));
    return {{place_of(*pattern), pattern->path},
            told + (near.empty() ? "" : "; did you mean " + near + "?")};
  }
  if (text.starts_with("mesh: ")) return {{place_of(root.at("mesh")), ""}, text};
  for (const auto& [path, node] : elements(root, "parallel"))
    if (text.starts_with(node->as_component().use + " of ")) return {{place_of(*node), path}, text};
  const Setting& node = root.at("model");
  return {{place_of(node), "model"}, text};
}

}  // namespace

const Setting* host_key(const Setting& node, std::string_view key) {
  for (const Entry& e : node.as_component().host_keys)
    if (e.key == key && e.value.is_set()) return &e.value;
  return nullptr;
}

ModelProgram::ModelProgram(const ProgramRequest& request, bool trained)
    : wiring_(request.root, request.catalog, request.services) {
  wiring_.set_seed("run", request.settings.seed);
  wiring_.set_seed("data", request.settings.data_seed);
  wiring_.set_seed("initializer", request.settings.initializer_seed);
  request.services.offer<WeightGradients>(weight_gradients_);
  make_tokenizer(request);
  model_ = required<Model>(wiring_, request.root, "model");
  if (const Setting* size = find_path(request.root, "model.vocabulary_size"))
    if (std::holds_alternative<std::int64_t>(size->value)) vocabulary_size_ = size->as_int();
  make_strategies(request);
  make_engine(request, trained);
}

void ModelProgram::make_tokenizer(const ProgramRequest& request) {
  if (section(request.root, "tokenizer") == nullptr) return;
  tokenizer_ = wiring_.make("tokenizer").as<Tokenizer>();
  resolve_links(request.root, {{"tokenizer.vocabulary_size",
                                fact(tokenizer_->vocabulary_size(), "the tokenizer")}});
}

void ModelProgram::make_strategies(const ProgramRequest& request) {
  for (const auto& [path, node] : elements(request.root, "parallel")) make_strategy(path, *node);
  const Setting* parallel = section(request.root, "parallel");
  if (owner_ == nullptr)
    throw Failure("C0305", Exit::configuration,
                  place_of(parallel != nullptr ? *parallel : request.root) +
                      "error[C0305]: parallel: it lists no owner: write fsdp or ddp");
}

void ModelProgram::make_strategy(const std::string& path, const Setting& node) {
  const std::string& id = node.as_component().interface_id;
  const auto refuse_second = [&](bool there, const std::string& rule) {
    if (there)
      throw Failure("C0305", Exit::configuration,
                    place_of(node) + "error[C0305]: parallel: a run has " + rule +
                        ", this lists a second: " + node.as_component().use);
  };
  refuse_second(id == Remote<Owner>::id && owner_ != nullptr, "exactly one owner");
  refuse_second(id == Remote<Selector>::id && selector_ != nullptr, "at most one selector");
  Component& made = wiring_.make(path);
  if (id == Remote<Owner>::id) owner_ = made.as<Owner>();
  if (id == Remote<Selector>::id) selector_ = made.as<Selector>();
  if (id == Remote<Cutter>::id) cutters_.push_back(made.as<Cutter>());
  if (!made.speaks(Remote<LayerOp>::id)) return;
  layer_ops_.push_back(made.as<LayerOp>());
  strategy_ops_.push_back({layer_ops_.back().get(), node.as_component().use, "*"});
}

std::vector<LayerOpBinding> ModelProgram::layer_ops(const Setting& root) {
  std::vector<LayerOpBinding> all;
  for (const auto& [path, node] : elements(root, "layer_ops")) {
    layer_ops_.push_back(wiring_.make(path).as<LayerOp>());
    std::vector<std::string> patterns = texts(host_key(*node, "layers"));
    if (patterns.empty()) patterns.push_back("*");
    for (std::string& p : patterns)
      all.push_back({layer_ops_.back().get(), node->as_component().use, std::move(p)});
  }
  all.insert(all.end(), strategy_ops_.begin(), strategy_ops_.end());
  return all;
}

// The links of the run file see whole keys and values: the cache comes first. A run file that lists
// kv_cache itself says where it stands.
void ModelProgram::add_cache(std::vector<LayerOpBinding>& ops) {
  constexpr const char* kCache = "kv_cache";
  for (const Layer& layer : model_->layers())
    decodes_ = decodes_ || layer.op == "mortise.op/attention/1";
  for (const LayerOpBinding& op : ops)
    if (op.name == kCache) return;
  if (!decodes_) return;
  ComponentNode node;
  node.use = kCache;
  node.interface_id = Remote<LayerOp>::id;
  Setting setting;
  setting.value = std::move(node);
  layer_ops_.push_back(wiring_.make(setting, kCache).as<LayerOp>());
  ops.insert(ops.begin(), {layer_ops_.back().get(), kCache, "*"});
}

std::vector<OptimizerBinding> ModelProgram::optimizers(const Setting& root) {
  std::vector<OptimizerBinding> all;
  for (const auto& [path, node] : elements(root, "optimizer")) {
    optimizers_.push_back(wiring_.make(path).as<Optimizer>());
    std::string name = node->as_component().use;
    for (const OptimizerBinding& other : all)
      if (other.name == name) name += "-" + std::to_string(all.size());
    all.push_back({optimizers_.back().get(), name, texts(host_key(*node, "parameters")),
                   host_key(*node, "learning_rate")->as_double()});
  }
  return all;
}

std::vector<Observer*> ModelProgram::observers(const Setting& root) {
  std::vector<Observer*> all;
  for (const auto& [path, node] : elements(root, "observers")) {
    observers_.push_back(wiring_.make(path).as<Observer>());
    all.push_back(observers_.back().get());
  }
  return all;
}

void ModelProgram::make_engine(const ProgramRequest& request, bool trained) {
  const RunSettings& s = request.settings;
  loss_ = required<Loss>(wiring_, request.root, "loss");
  EngineSettings settings{s.seed, s.clip_norm, s.norm, s.recompute, s.compute};
  LayoutParts layout{request.mesh, selector_.get(), {}};
  layout.sequence_length = s.sequence_length;
  layout.device = request.device;
  for (const auto& cutter : cutters_) layout.cutters.push_back(cutter.get());
  StandIns themselves;
  StandIns& used = request.stand_ins ? *request.stand_ins : themselves;
  Model& model = used.watch(static_cast<Model&>(*model_));
  Owner& owner = used.watch(static_cast<Owner&>(*owner_));
  EngineParts parts{
      model, *loss_, owner, layer_ops(request.root), {}, {}, std::move(layout), weight_gradients_};
  if (trained) {
    initializer_ = required<Initializer>(wiring_, request.root, "initializer");
    parts.optimizers = optimizers(request.root);
    for (OptimizerBinding& b : parts.optimizers) b.optimizer = &used.watch(*b.optimizer);
    parts.observers = observers(request.root);
  } else {
    add_cache(parts.layer_ops);
  }
  try {
    engine_ = std::make_unique<Engine>(std::move(parts), std::move(settings));
    if (trained) engine_->layout().require_micro_batches(s.micro_batches());
  } catch (const Error& e) {
    const Blame blame = blame_of(e.what(), request.root, *model_);
    throw failure_of(Error(e.code(), blame.text), "", blame.spot);
  }
}

namespace {

// As stored: what `shuffle: false` means.
class StoredOrder final : public SampleOrder {
 public:
  std::vector<std::int64_t> indices(const OrderRequest& r) const override {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i != r.count; ++i) all.push_back((r.first + i) % r.samples);
    return all;
  }
};

void set_text(Setting& node, std::string_view key, const std::string& value) {
  if (Setting* s = node.find(key)) s->value = value;
}

// The node of the training set, cut to one of its parts.
Setting part_of(const Setting& train, const std::string& part, const Amount& hold_out) {
  Setting node = train;
  if (node.find("part") == nullptr)
    throw Failure("C0306", Exit::configuration,
                  place_of(train) + "error[C0306]: eval.hold_out: " + train.as_component().use +
                      " cannot hold out a part: name sets under eval.sets");
  set_text(node, "part", part);
  auto& settings = std::get<ComponentNode>(node.value).settings;
  std::erase_if(settings, [](const Entry& e) { return e.key == "hold_out"; });
  Setting amount;
  amount.value = hold_out;
  settings.push_back({"hold_out", amount});
  return node;
}

// A model says with an attribute of its attention layers that it keeps documents apart; what it
// says and data.documents are one.
void check_documents(const ProgramRequest& request, const LayerChains& chains) {
  const Setting& node = request.root.at("model");
  const bool asked = request.settings.isolates_documents;
  const auto refuse = [&](const std::string& why) {
    throw Failure("C0314", Exit::configuration,
                  place_of(node) +
                      "error[C0314]: data.documents: " + (asked ? "isolated" : "joined") +
                      ": the model " + node.as_component().use + " " + why);
  };
  bool found = false;
  for (const Layer& layer : chains.layers()) {
    const bool isolates = layer.attributes.get<std::string>("documents", "joined") == "isolated";
    found = found || isolates;
    if (asked && !isolates && layer.op == "mortise.op/attention/1")
      refuse("does not keep documents apart in layer " + layer.name +
             ": choose joined, or another model");
    if (!asked && isolates)
      refuse("is set to keep documents apart in layer " + layer.name +
             ": set data.documents to isolated");
  }
  if (asked && !found)
    refuse("has no layer that keeps documents apart: choose joined, or another model");
}

}  // namespace

DataProgram::DataProgram(const ProgramRequest& request, ModelProgram& model) {
  check_documents(request, model.engine().chains());
  make_train(request, model);
  Wiring& wiring = model.wiring();
  const Setting* shuffle = find_path(request.root, "data.shuffle");
  if (shuffle != nullptr && shuffle->is_component())
    order_ = wiring.make("data.shuffle").as<SampleOrder>();
  else
    order_ = std::make_unique<StoredOrder>();
  check_length(request);
  for (const std::string& name : request.settings.eval_sets)
    evaluation_.push_back({name, wiring.make("eval.sets." + name).as<Dataset>()});
  for (const EvaluationSet& set : evaluation_) check(*set.data, node_of(set.name, request), model);
}

void DataProgram::make_train(const ProgramRequest& request, ModelProgram& model) {
  Wiring& wiring = model.wiring();
  const Setting& train = *find_path(request.root, "data.train");
  if (!request.settings.hold_out) {
    train_ = wiring.make("data.train").as<Dataset>();
  } else {
    const Amount& cut = *request.settings.hold_out;
    train_ = wiring.make(part_of(train, "train", cut), "data.train").as<Dataset>();
    evaluation_.push_back(
        {"held_out", wiring.make(part_of(train, "held_out", cut), "data.held_out").as<Dataset>()});
  }
  check(*train_, train, model);
}

const Setting& DataProgram::node_of(const std::string& set, const ProgramRequest& request) const {
  const Setting* own = find_path(request.root, "eval.sets." + set);
  return own != nullptr ? *own : *find_path(request.root, "data.train");
}

// Asks for the last position of the run: data that does not suffice is known before the first step.
void DataProgram::check_length(const ProgramRequest& request) const {
  const Horizon horizon(request.settings, train_->size());
  const std::int64_t last = horizon.total_steps * horizon.sequences_per_step - 1;
  try {
    train_->draw(*order_, horizon.positions(last, 1));
  } catch (const Error& e) {
    const Setting& node = *find_path(request.root, "data.train");
    throw failure_of(e, "", {place_of(node), node.path});
  }
}

void DataProgram::check(const Dataset& data, const Setting& node, ModelProgram& model) const {
  const DatasetInfo info = data.info();
  Tokenizer* tokenizer = model.tokenizer();
  if (tokenizer != nullptr && !info.tokenizer_fingerprint.empty() &&
      info.tokenizer_fingerprint != tokenizer->fingerprint())
    throw Failure("D0102", Exit::data,
                  place_of(node) + "error[D0102]: " + node.path + ": " + info.source +
                      " was packed with tokenizer " + info.tokenizer_fingerprint +
                      ", this run has " + tokenizer->fingerprint() +
                      ": name the tokenizer that packed it, or pack it again");
  if (model.vocabulary_size() > 0 && info.largest_token >= model.vocabulary_size())
    throw Failure(
        "D0103", Exit::data,
        place_of(node) + "error[D0103]: " + node.path + ": " + info.source + " holds token id " +
            std::to_string(info.largest_token) + ", the model's vocabulary has " +
            std::to_string(model.vocabulary_size()) +
            ": give the model a larger vocabulary_size, or pack with this run's tokenizer");
}

}  // namespace mortise::host
