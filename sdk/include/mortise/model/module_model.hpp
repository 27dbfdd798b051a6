#pragma once

// Heavy, unlike every other header of the SDK: it sees torch::nn.

#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <mortise/model/declaration.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// Makes a Model of a torch::nn::Module that somebody has already.
///
///     struct Net : torch::nn::Module {
///       torch::nn::Embedding embed{nullptr};
///       torch::nn::Linear head{nullptr};
///       explicit Net(const Config& c) {
///         embed = register_module("embed", torch::nn::Embedding(c.vocabulary_size, c.width));
///         head = register_module("head", torch::nn::Linear(c.width, c.vocabulary_size));
///       }
///       at::Tensor forward(const at::Tensor& tokens) { return head(embed(tokens)); }
///     };
///     class MyModel final : public ModuleModel<Net> {
///      public:
///       struct Config { … };
///       explicit MyModel(const Config& c) : MyModel(std::make_shared<Net>(c)) {}
///      private:
///       explicit MyModel(std::shared_ptr<Net> net)
///           : ModuleModel(net, {part("embed", net->embed), part("head", net->head)}) {}
///     };
///
/// Without the list of parts the whole module is one unit, and its forward(tokens) gives the
/// logits. A parameter belongs to every part that has it under its name; one tensor under several
/// names is one parameter, tied.
///
/// The module computes with its own variables: the owner gives them storage (Model::leaf). Layer
/// operations do not see into it, so there are no adapters and no tensor parallelism inside.
/// Buffers are the run's (BufferInfo): the module finds its value before each visit, and what it
/// leaves there in training is offered: floating-point numbers are averaged over the micro-batches
/// of a step, of others the last counts. Tables that never change are better plain members.
///
/// A module does not know what came before the tokens that it is given: no Phase::decode.
///
/// Errors: ConfigError for a part that is no child, and for a parameter outside of all parts.
template <class T>
class ModuleModel : public Model {
 public:
  /// One unit: `child` is its path in the module, "" the module itself.
  struct Part {
    std::string child;
    std::function<TensorList(Tensors hidden, const Batch& batch)> forward;
  };
  /// The usual part: one tensor in, one out; the first part gets the tokens. `call` is the child's
  /// holder or anything else that can be called.
  template <class Call>
  static Part part(std::string child, Call call) {
    return {std::move(child), [call](Tensors hidden, const Batch& batch) mutable -> TensorList {
              return {call(hidden.empty() ? batch["tokens"] : hidden[0])};
            }};
  }

  explicit ModuleModel(std::shared_ptr<T> module)
      : ModuleModel(module,
                    {part("", [m = module.get()](const at::Tensor& x) { return m->forward(x); })}) {
  }
  ModuleModel(std::shared_ptr<T> module, std::vector<Part> parts)
      : module_(std::move(module)), parts_(std::move(parts)) {
    if (parts_.empty()) throw ConfigError("a model needs at least one part");
    for (std::size_t i = 0; i != parts_.size(); ++i) declare_part(i);
    head_ = declare_.identity("logits");
    for (const auto& p : module_->named_parameters())
      if (!number_of(p.value())) throw ConfigError("no part has the parameter " + p.key());
  }

  std::vector<ParameterInfo> parameters() const override { return declare_.parameters; }
  std::vector<Layer> layers() const override { return declare_.layers; }
  Names units() const override { return declare_.units; }
  std::vector<BufferInfo> buffers() const override { return buffers_; }
  at::Tensor leaf(ParameterId p) const override { return leaves_.at(std::size_t(p)); }

  TensorList forward_unit(const Visit& visit, UnitContext& unit, Tensors hidden,
                          const Batch& batch) override {
    if (visit.phase == Phase::decode)
      throw Error(ErrorCode::not_supported, "a torch module cannot decode with a cache");
    const bool training = visit.phase != Phase::evaluate;
    if (module_->is_training() != training) module_->train(training);
    const auto number = std::size_t(visit.unit);
    lend_buffers(visit.unit, unit);
    TensorList out = parts_.at(number).forward(hidden, batch);
    if (training) offer_buffers(visit.unit, unit);
    if (number + 1 != parts_.size()) return out;
    return {unit.end(head_, out.at(0))};
  }

 protected:
  T& module() { return *module_; }
  /// Says in the constructor what a parameter is for. Else: matrix from two dimensions on, bias by
  /// its name, norm for the rest.
  void set_role(std::string_view parameter, Role role) {
    for (ParameterInfo& p : declare_.parameters)
      if (p.name == parameter) return void(p.role = role);
    throw ConfigError("the module has no parameter " + std::string(parameter));
  }

 private:
  static bool is_inside(const std::string& name, const std::string& child) {
    return child.empty() ||
           (name.size() > child.size() && name.starts_with(child) && name[child.size()] == '.');
  }
  static Role role_of(const std::string& name, const at::Tensor& value) {
    if (value.dim() > 1) return Role::matrix;
    return name.ends_with("bias") ? Role::bias : Role::norm;
  }
  static DType dtype_of(const at::Tensor& value) {
    switch (value.scalar_type()) {
      case at::kFloat:
        return DType::float32;
      case at::kDouble:
        return DType::float64;
      case at::kHalf:
        return DType::float16;
      case at::kBFloat16:
        return DType::bfloat16;
      case at::kInt:
        return DType::int32;
      case at::kLong:
        return DType::int64;
      case at::kByte:
        return DType::uint8;
      case at::kBool:
        return DType::boolean;
      default:
        throw ConfigError(std::string("buffers of this type cannot be listed: ") +
                          c10::toString(value.scalar_type()));
    }
  }
  // The number at the end of "blocks.3", or -1.
  static std::int64_t depth_of(const std::string& child) {
    const std::size_t digits = child.find_last_not_of("0123456789") + 1;
    return digits == child.size() || digits == 0 ? -1 : std::stoll(child.substr(digits));
  }

  std::optional<std::size_t> number_of(const at::Tensor& value) const {
    for (std::size_t i = 0; i != leaves_.size(); ++i)
      if (leaves_[i].is_same(value)) return i;
    return std::nullopt;
  }

  void declare_part(std::size_t number) {
    const std::string& child = parts_[number].child;
    bool found = child.empty();
    for (const auto& m : module_->named_modules()) found = found || m.key() == child;
    if (!found) throw ConfigError("the module has no child " + child);
    declare_.unit(child.empty() ? "module" : child, depth_of(child));
    for (const auto& p : module_->named_parameters())
      if (is_inside(p.key(), child)) declare_parameter(p.key(), p.value(), std::int64_t(number));
    for (const auto& b : module_->named_buffers())
      if (is_inside(b.key(), child)) declare_buffer(b.key(), b.value(), std::int64_t(number));
  }
  void declare_parameter(const std::string& name, const at::Tensor& value, std::int64_t unit) {
    if (const auto known = number_of(value)) {
      auto& units = declare_.parameters[*known].units;
      if (units.back() != unit) units.push_back(unit);
      return;
    }
    std::vector<Axis> axes(std::size_t(value.dim()), Axis::other);
    if (!axes.empty()) axes[0] = Axis::out;
    if (axes.size() > 1) axes[1] = Axis::in;
    declare_.parameter({name, value.sizes().vec(), role_of(name, value), std::move(axes)});
    declare_.parameters.back().trainable = value.requires_grad();
    leaves_.push_back(value);
  }
  void declare_buffer(const std::string& name, const at::Tensor& value, std::int64_t unit) {
    BufferInfo info;
    info.name = name;
    info.shape = value.sizes().vec();
    info.dtype = dtype_of(value);
    info.unit = unit;
    info.combine = value.is_floating_point() ? Combine::mean : Combine::last;
    info.initial = value.clone();
    buffers_.push_back(std::move(info));
    variables_.push_back(value);
  }
  // New memory each time: graphs of other visits may still hold the old one.
  void lend_buffers(std::int64_t number, UnitContext& unit) {
    for (std::size_t i = 0; i != buffers_.size(); ++i)
      if (buffers_[i].unit == number) variables_[i].set_data(unit.buffer(buffers_[i].name).clone());
  }
  void offer_buffers(std::int64_t number, UnitContext& unit) {
    for (std::size_t i = 0; i != buffers_.size(); ++i)
      if (buffers_[i].unit == number) unit.update(buffers_[i].name, variables_[i].detach());
  }

  std::shared_ptr<T> module_;
  std::vector<Part> parts_;
  Declaration declare_;
  LayerId head_{};
  TensorList leaves_;  // the module's own variables, in the order of the parameters
  std::vector<BufferInfo> buffers_;
  TensorList variables_;  // the module's own, in the order of the buffers
};

}  // namespace mortise
