#include "host/engine/plan.hpp"

#include <algorithm>

#include "host/checkpoint/box.hpp"

namespace mortise::host {
namespace {

Error refused(const std::string& text) { return Error(ErrorCode::bad_argument, text); }

const char* name_of(at::ScalarType type) {
  return type == at::kFloat ? "float32" : type == at::kBFloat16 ? "bfloat16" : "another type";
}

}  // namespace

Plan::Plan(std::vector<ParameterInfo> infos, std::int64_t units,
           const std::vector<std::int64_t>& here, std::vector<MeshAxis> axes, at::Device device)
    : infos_(std::move(infos)),
      units_(units),
      axes_(std::move(axes)),
      device_(device),
      cut_over_(infos_.size()),
      placed_(infos_.size()) {
  for (ParameterInfo& info : infos_) {
    boxes_.push_back(whole_box(info.shape));
    std::erase_if(info.units, [&](std::int64_t unit) {
      return std::find(here.begin(), here.end(), unit) == here.end();
    });
  }
}

void Plan::place(ParameterId parameter, const at::Tensor& tensor) {
  const auto i = std::size_t(parameter);
  if (tensor.sizes() != at::IntArrayRef(boxes_.at(i).size))
    throw refused("place: the tensor for " + infos_[i].name + " does not have the size of its box");
  const at::ScalarType type = infos_[i].compute == DType::bfloat16 ? at::kBFloat16 : at::kFloat;
  if (tensor.scalar_type() != type)
    throw refused("place: the owner gives " + infos_[i].name + " as " +
                  name_of(tensor.scalar_type()) + ", and layers compute in " + name_of(type) +
                  " (precision.compute): choose another owner, or precision");
  placed_[i] = tensor;
}

void Plan::spread(std::string_view axis, Spread over) {
  const std::string name(axis);
  for (const char* taken : {"dp", "dp_replicate", "pp"})
    if (name == taken) throw refused("spread: axis " + name + " is not a cutter's to take");
  if (!spread_.emplace(name, over).second)
    throw refused("spread: axis " + name + " is spread already: two cutters cannot share it");
}

void Plan::cut(ParameterId parameter, std::string_view axis, const Box& box) {
  const std::string name(axis);
  const ParameterInfo& info = infos_.at(std::size_t(parameter));
  if (spread_.count(name) == 0)
    throw refused("cut: " + info.name + " over axis " + name + ", which is not spread");
  if (!lies_within(box, info.shape))
    throw refused("cut: the box of " + info.name + " leaves its shape");
  boxes_[std::size_t(parameter)] = box;
  cut_over_[std::size_t(parameter)].insert(name);
}

Names Plan::summed_axes(ParameterId parameter) const {
  const std::set<std::string>& cut = cut_over_.at(std::size_t(parameter));
  Names axes;
  for (const MeshAxis& a : axes_)
    if (a.name == "dp" || a.name == "dp_replicate" ||
        (spread_.count(a.name) != 0 && cut.count(a.name) == 0))
      axes.push_back(a.name);
  return axes;
}

}  // namespace mortise::host
