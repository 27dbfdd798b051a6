#include "host/engine/buffers.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <set>

namespace mortise::host {
namespace {

at::ScalarType type_of(const BufferInfo& info) {
  switch (info.dtype) {
    case DType::float32:
      return at::kFloat;
    case DType::float64:
      return at::kDouble;
    case DType::float16:
      return at::kHalf;
    case DType::bfloat16:
      return at::kBFloat16;
    case DType::int32:
      return at::kInt;
    case DType::int64:
      return at::kLong;
    case DType::uint8:
      return at::kByte;
    case DType::boolean:
      return at::kBool;
    default:
      throw Error(ErrorCode::not_supported,
                  "buffer " + info.name + " has a type that this host does not keep");
  }
}

std::string text_of(at::IntArrayRef shape) {
  std::string text;
  for (const std::int64_t s : shape) text += (text.empty() ? "" : ", ") + std::to_string(s);
  return "[" + text + "]";
}

at::Tensor combined(Combine how, const at::Tensor& value, const at::Tensor& offered) {
  switch (how) {
    case Combine::last:
      return offered;
    case Combine::mean:
      return value + offered;
    case Combine::max:
      return at::maximum(value, offered);
  }
  throw Error(ErrorCode::not_supported, "a buffer combines in a way that this host does not know");
}

at::Tensor first_value(const BufferInfo& info, at::Device device) {
  at::Tensor value = at::zeros(info.shape, at::TensorOptions(device).dtype(type_of(info)));
  if (!info.initial.defined()) return value;
  if (info.initial.sizes() != value.sizes())
    throw ShapeError("buffer " + info.name + " has the shape " + text_of(info.shape) +
                     ", its first value " + text_of(info.initial.sizes()));
  return value.copy_(info.initial);
}

}  // namespace

Buffers::Buffers(const LayerChains& chains, at::Device device)
    : infos_(chains.buffers()), device_(device) {
  std::set<std::string> names;
  for (const ParameterInfo& p : chains.parameters()) names.insert(p.name);
  for (const BufferInfo& info : infos_) {
    if (!names.insert(info.name).second)
      throw ConfigError("two parameters or buffers have the name " + info.name +
                        ": the model and its layer operations need names of their own");
    const at::NoGradGuard no_grad;
    values_.push_back(first_value(info, device));
  }
  begins_.resize(infos_.size());
  for (const Combine how : {Combine::last, Combine::mean, Combine::max}) {
    Section section{how, elements_};
    for (std::size_t i = 0; i != infos_.size(); ++i) {
      if (infos_[i].combine != how) continue;
      section.buffers.push_back(i);
      begins_[i] = elements_;
      elements_ += values_[i].numel();
    }
    section.size = elements_ - section.begin;
    if (section.size > 0) sections_.push_back(std::move(section));
  }
}

std::size_t Buffers::find(std::string_view name, std::int64_t unit) const {
  for (std::size_t i = 0; i != infos_.size(); ++i) {
    if (infos_[i].name != name) continue;
    if (infos_[i].unit == unit) return i;
    throw Error(ErrorCode::bad_argument, "buffer " + infos_[i].name + " belongs to unit " +
                                             std::to_string(infos_[i].unit) + ", not to unit " +
                                             std::to_string(unit) + ", which is visited");
  }
  throw Error(ErrorCode::bad_argument, "there is no buffer " + std::string(name));
}

void Buffers::offer(std::int64_t round, const std::vector<BufferUpdate>& updates) {
  const at::NoGradGuard no_grad;
  for (const BufferUpdate& update : updates) {
    const BufferInfo& info = infos_[update.buffer];
    if (update.value.sizes() != values_[update.buffer].sizes())
      throw ShapeError("buffer " + info.name + ": expected the shape " + text_of(info.shape) +
                       ", got " + text_of(update.value.sizes()));
    const at::Tensor value = update.value.detach().to(at::kDouble, false, true).reshape({-1});
    Offer& offer = offers_[{update.buffer, round}];
    if (offer.count++ == 0)
      offer.value = value;
    else
      offer.value = combined(info.combine, offer.value, value);
  }
}

// [rounds, 2, elements of all buffers]: this rank's offers and how many they are.
at::Tensor Buffers::pack(std::int64_t rounds) const {
  at::Tensor mine =
      at::zeros({rounds, 2, elements_}, at::TensorOptions(device_).dtype(at::kDouble));
  for (const auto& [key, offer] : offers_) {
    const at::Tensor row =
        mine[key.second].narrow(1, begins_[key.first], values_[key.first].numel());
    row[0].copy_(offer.value);
    row[1].fill_(double(offer.count));
  }
  return mine;
}

// Rows of what all ranks offer: rank by rank, round by round.
void Buffers::apply(Communicator& group, std::int64_t rounds, const at::Tensor& skip) {
  if (elements_ == 0) return;
  const at::Tensor mine = pack(rounds);
  offers_.clear();
  const at::Tensor all = at::empty({group.size() * mine.numel()}, mine.options());
  group.all_gather(all, mine.view({-1}))->wait();
  const at::Tensor offers =
      all.view({group.size(), rounds, 2, elements_}).transpose(0, 1).flatten(0, 1);
  for (const Section& s : sections_) apply(s, offers.narrow(2, s.begin, s.size), skip);
}

// One order of folding on every layout.
void Buffers::apply(const Section& section, const at::Tensor& offers, const at::Tensor& skip) {
  at::Tensor value = at::zeros({section.size}, offers.options()), count = value;
  for (std::int64_t k = 0; k != offers.size(0); ++k) {
    const at::Tensor offered = offers[k][0], more = offers[k][1];
    const at::Tensor next = at::where(count > 0, combined(section.how, value, offered), offered);
    value = at::where(more > 0, next, value);
    count = count + more;
  }
  if (section.how == Combine::mean) value = value / count.clamp_min(1);
  const at::Tensor changes = (count > 0).logical_and(skip == 0);
  for (const std::size_t i : section.buffers) {
    const auto part = [&](const at::Tensor& t) {
      return t.narrow(0, begins_[i] - section.begin, values_[i].numel()).view(values_[i].sizes());
    };
    values_[i].copy_(at::where(part(changes), part(value), values_[i].to(at::kDouble)));
  }
}

}  // namespace mortise::host
