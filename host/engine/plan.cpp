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

Plan::Plan(Lists lists, const std::vector<std::int64_t>& here, std::vector<MeshAxis> axes,
           at::Device device)
    : lists_(std::move(lists)),
      axes_(std::move(axes)),
      device_(device),
      cut_over_(lists_.parameters.size()),
      partial_over_(lists_.parameters.size()),
      placed_(lists_.parameters.size()) {
  for (ParameterInfo& info : lists_.parameters) {
    boxes_.push_back(whole_box(info.shape));
    std::erase_if(info.units, [&](std::int64_t unit) {
      return std::find(here.begin(), here.end(), unit) == here.end();
    });
  }
}

void Plan::place(ParameterId parameter, const at::Tensor& tensor) {
  const auto i = std::size_t(parameter);
  if (tensor.sizes() != at::IntArrayRef(boxes_.at(i).size))
    throw refused("place: the tensor for " + info(parameter).name +
                  " does not have the size of its box");
  const at::ScalarType type =
      info(parameter).compute == DType::bfloat16 ? at::kBFloat16 : at::kFloat;
  if (tensor.scalar_type() != type)
    throw refused("place: the owner gives " + info(parameter).name + " as " +
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
  if (spread_.count(name) == 0)
    throw refused("cut: " + info(parameter).name + " over axis " + name + ", which is not spread");
  if (!lies_within(box, info(parameter).shape))
    throw refused("cut: the box of " + info(parameter).name + " leaves its shape");
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

void Plan::partial(ParameterId parameter, std::string_view axis) {
  const std::string name(axis);
  const auto spread = spread_.find(name);
  if (spread == spread_.end() || spread->second != Spread::features)
    throw refused("partial: " + info(parameter).name + " over axis " + name +
                  ", which is not spread over features");
  partial_over_.at(std::size_t(parameter)).insert(name);
}

bool Plan::gives_gradient(std::size_t parameter) const {
  for (const MeshAxis& a : axes_) {
    const auto spread = spread_.find(a.name);
    if (a.rank != 0 && spread != spread_.end() && spread->second == Spread::features &&
        cut_over_[parameter].count(a.name) == 0 && partial_over_[parameter].count(a.name) == 0)
      return false;
  }
  return true;
}

}  // namespace mortise::host
