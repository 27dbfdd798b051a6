#include "host/engine/unit_visit.hpp"

namespace mortise::host {
namespace {

class VisitContext final : public UnitContext {
 public:
  VisitContext(const VisitRequest& request, const Visit& visit, VisitResult& result)
      : request_(request),
        visit_(visit),
        result_(result),
        scope_{request.leaves, request.buffers, request.kept, visit} {}
  ~VisitContext() override { open_ = false; }

  TensorList apply(LayerId layer, Tensors inputs) override {
    check(layer);
    return request_.chains.run(layer, inputs, scope_);
  }
  at::Tensor end(LayerId layer, const at::Tensor& hidden) override {
    check(layer);
    if (request_.loss == nullptr) return apply(layer, hidden).front();
    request_.loss->add_terms(*this, layer, hidden, request_.batch);
    return {};
  }
  at::Tensor parameter(ParameterId parameter) override {
    check_open();
    const ParameterInfo& info = request_.chains.parameters().at(std::size_t(parameter));
    for (const std::int64_t unit : info.units)
      if (unit == visit_.unit) return request_.leaves[std::size_t(parameter)];
    throw Error(ErrorCode::bad_argument,
                info.name + " does not belong to the unit that is visited (" + name() + ")");
  }
  at::Tensor buffer(std::string_view name) override {
    check_open();
    return scope_.buffer(name);
  }
  void term(std::string_view name, const at::Tensor& sum, Denominator per, double weight) override {
    check_open();
    if (sum.dim() != 0)
      throw ShapeError("term " + std::string(name) + " has " + std::to_string(sum.dim()) +
                       " dimensions, expected a sum with 0");
    result_.terms.push_back({std::string(name), sum, per, weight});
  }
  void update(std::string_view buffer, const at::Tensor& value) override {
    check_open();
    scope_.update(buffer, value);
  }
  void record(std::string_view name, const at::Tensor& value) override {
    check_open();
    result_.records.emplace_back(name, value.detach());
  }
  std::vector<BufferUpdate> take_updates() { return std::move(scope_.updates); }

 private:
  std::string name() const { return "unit " + std::to_string(visit_.unit); }
  void check_open() const {
    if (!open_) throw Error(ErrorCode::bad_argument, "a UnitContext is used after its visit");
  }
  void check(LayerId layer) const {
    check_open();
    const auto& layers = request_.chains.layers();
    if (std::size_t(layer) >= layers.size())
      throw Error(ErrorCode::bad_argument, "no layer " + std::to_string(std::int64_t(layer)));
    if (!request_.chains.belongs(layer, visit_.unit))
      throw Error(ErrorCode::bad_argument,
                  "layer " + layers[std::size_t(layer)].name +
                      ": its parameters do not belong to the unit that is visited (" + name() +
                      ")");
  }

  const VisitRequest& request_;
  const Visit& visit_;
  VisitResult& result_;
  VisitScope scope_;
  bool open_ = true;
};

}  // namespace

VisitResult run_unit(const VisitRequest& request, const Visit& visit, Tensors hidden) {
  VisitResult result;
  VisitContext context(request, visit, result);
  result.outputs = request.model.forward_unit(visit, context, hidden, request.batch);
  result.updates = context.take_updates();
  return result;
}

}  // namespace mortise::host
