#include "host/checkpoint/index_builder.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "host/checkpoint/files/storage_failure.hpp"
#include "host/checkpoint/files/stored_type.hpp"

namespace mortise::host {
namespace {

using nlohmann::json;
constexpr const char* kAdvice =
    "this is a fault of the strategies or components that gave the boxes";

// Null: no box.
std::optional<Box> box_from(const json& pair) {
  if (pair.is_null()) return std::nullopt;
  return Box{pair.at(0).get<Shape>(), pair.at(1).get<Shape>()};
}

}  // namespace

void RankReport::add(SavedGroup group, const SavedTensor& tensor, std::optional<Box> written) {
  const auto type = stored_type(tensor.values.scalar_type());
  held_.push_back(
      {group, tensor.name, std::string(type.value().name), tensor.shape, std::move(written)});
}

std::string RankReport::text() const {
  json files = json::array(), held = json::array();
  for (const FileRecord& file : files_) files.push_back({file.name, file.bytes, file.xxh3});
  for (const Held& h : held_) {
    const json box = h.box ? json::array({h.box->offset, h.box->size}) : json();
    held.push_back(json::array({int(h.group), h.name, h.dtype, h.shape, box}));
  }
  return json::array({std::move(files), std::move(held)}).dump();
}

// The text comes from this program on another rank: types are as text() wrote them.
RankReport RankReport::parse(const std::string& text) {
  const json both = json::parse(text);
  RankReport report;
  for (const json& f : both.at(0))
    report.files_.push_back(
        {f.at(0).get<std::string>(), f.at(1).get<std::uint64_t>(), f.at(2).get<std::string>()});
  for (const json& h : both.at(1))
    report.held_.push_back({SavedGroup(h.at(0).get<int>()), h.at(1).get<std::string>(),
                            h.at(2).get<std::string>(), h.at(3).get<Shape>(), box_from(h.at(4))});
  return report;
}

void IndexBuilder::add(std::int64_t rank, const RankReport& report) {
  ranks_ = std::max(ranks_, rank + 1);
  for (const FileRecord& file : report.files_) files_.push_back(file);
  for (const RankReport::Held& held : report.held_) add(rank, held);
}

void IndexBuilder::add(std::int64_t rank, const RankReport::Held& held) {
  const IndexedTensor tensor{held.group, stored_type(held.dtype).value().type, held.shape, 0};
  auto [found, is_new] = tensors_.try_emplace(held.name, Gathered{tensor, rank, {}});
  Gathered& known = found->second;
  if (known.tensor.group != tensor.group || known.tensor.type != tensor.type ||
      known.tensor.shape != tensor.shape)
    throw storage_failure(
        storage::ranks_differ, folder_,
        "ranks disagree on `" + held.name + "`: rank " + std::to_string(known.first_rank) +
            " has " + type_and_shape(known.tensor.type, known.tensor.shape) + " in " +
            name_of(known.tensor.group) + ", rank " + std::to_string(rank) + " has " +
            type_and_shape(tensor.type, tensor.shape) + " in " + name_of(tensor.group),
        kAdvice);
  if (held.box) known.placed.push_back({*held.box, rank});
}

BoxLayout IndexBuilder::layout_of(const std::string& name, Gathered& gathered) const try {
  return BoxLayout::of(gathered.tensor.shape, std::move(gathered.placed));
} catch (const std::invalid_argument& fault) {
  throw storage_failure(storage::not_tiled, folder_, "`" + name + "`: " + fault.what(), kAdvice);
}

CheckpointIndex IndexBuilder::build() && {
  CheckpointIndex index;
  index.step = step_;
  index.ranks = ranks_;
  index.files = std::move(files_);
  std::map<std::string, std::size_t> positions;  // of layouts, by their text
  for (auto& [name, gathered] : tensors_) {
    BoxLayout layout = layout_of(name, gathered);
    const auto [found, is_new] =
        positions.try_emplace(layout.to_json().dump(), index.layouts.size());
    if (is_new) index.layouts.push_back(std::move(layout));
    gathered.tensor.layout = found->second;
    index.tensors.emplace(name, std::move(gathered.tensor));
  }
  return index;
}

}  // namespace mortise::host
