#include "host/checkpoint/box_layout.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "host/checkpoint/box.hpp"
#include "host/checkpoint/files/checked_json.hpp"
#include "host/checkpoint/files/stored_type.hpp"

namespace mortise::host {
namespace {

using nlohmann::json;

std::string words(const Box& box) {
  return in_brackets(box.size) + " at " + in_brackets(box.offset);
}

bool starts_before(const PlacedBox& a, const PlacedBox& b) { return a.box.offset < b.box.offset; }

// Boxes sorted by offset: whether no two share an element.
void require_disjoint(const std::vector<PlacedBox>& placed) {
  for (std::size_t i = 0; i != placed.size(); ++i) {
    const Box& box = placed[i].box;
    for (std::size_t j = i + 1; j != placed.size(); ++j) {
      const Box& later = placed[j].box;
      if (!box.offset.empty() && later.offset[0] >= box.offset[0] + box.size[0]) break;
      if (intersection(box, later))
        throw std::invalid_argument("boxes overlap: " + words(box) + " of rank " +
                                    std::to_string(placed[i].rank) + " and " + words(later) +
                                    " of rank " + std::to_string(placed[j].rank));
    }
  }
}

void require_tiling(const Shape& shape, const std::vector<PlacedBox>& placed) {
  const auto total = element_count(shape);
  if (!total) throw std::invalid_argument("shape is too large: " + in_brackets(shape));
  std::int64_t covered = 0;
  for (const PlacedBox& part : placed) {
    if (!lies_within(part.box, shape) || part.box.count() == 0)
      throw std::invalid_argument("box is empty or outside " + in_brackets(shape) + ": " +
                                  words(part.box));
    if (part.box.count() > *total - covered)
      throw std::invalid_argument("boxes overlap: they hold more elements than " +
                                  in_brackets(shape));
    covered += part.box.count();
  }
  require_disjoint(placed);
  if (covered != *total)
    throw std::invalid_argument("boxes hold " + std::to_string(covered) + " of the " +
                                std::to_string(*total) + " elements of " + in_brackets(shape));
}

// Index of `place` among the cuts of a dimension.
std::size_t index_of(const Shape& cuts, std::int64_t place) {
  return std::size_t(std::lower_bound(cuts.begin(), cuts.end(), place) - cuts.begin());
}

std::vector<std::int64_t> counts_from(const json& list, const char* what) {
  std::vector<std::int64_t> counts;
  for (const json& value : list_from(list, what)) counts.push_back(count_from(value, what));
  return counts;
}

Box box_from(const json& pair) {
  if (list_from(pair, "a box").size() != 2) throw Malformed("has a box that is no pair");
  return {counts_from(pair[0], "an offset"), counts_from(pair[1], "a size")};
}

}  // namespace

BoxLayout BoxLayout::of(const Shape& shape, std::vector<PlacedBox> placed) {
  std::sort(placed.begin(), placed.end(), starts_before);
  require_tiling(shape, placed);
  BoxLayout layout;
  layout.shape_ = shape;
  for (const PlacedBox& part : placed) layout.files_.push_back(part.rank);
  if (layout.make_grid(placed)) return layout;
  layout.cuts_.clear();
  layout.grid_ = false;
  for (PlacedBox& part : placed) layout.boxes_.push_back(std::move(part.box));
  return layout;
}

// Boxes that tile a shape and are as many as there are cells between all their cuts are the cells,
// and sorted by offset they are in row order.
bool BoxLayout::make_grid(const std::vector<PlacedBox>& placed) {
  std::size_t cells = 1;
  for (std::size_t d = 0; d != shape_.size(); ++d) {
    std::set<std::int64_t> places = {0, shape_[d]};
    for (const PlacedBox& part : placed) places.insert(part.box.offset[d]);
    cuts_.emplace_back(places.begin(), places.end());
    cells *= places.size() - 1;
    if (cells > placed.size() && !placed.empty()) return false;
  }
  return cells == placed.size();
}

json BoxLayout::to_json() const {
  if (grid_) return {{"cuts", cuts_}, {"files", files_}};
  json boxes = json::array();
  for (const Box& box : boxes_) boxes.push_back(json::array({box.offset, box.size}));
  return {{"shape", shape_}, {"boxes", std::move(boxes)}, {"files", files_}};
}

BoxLayout BoxLayout::from_json(const json& layout, std::int64_t ranks) {
  const bool grid = layout.is_object() && layout.contains("cuts");
  BoxLayout read = grid ? grid_from(layout) : list_from_json(layout);
  for (const std::int64_t rank : read.files_)
    if (rank >= ranks)
      throw Malformed("names rank " + std::to_string(rank) + " of " + std::to_string(ranks));
  return read;
}

BoxLayout BoxLayout::grid_from(const json& layout) {
  BoxLayout read;
  read.files_ = counts_from(member_of(layout, "files"), "a rank");
  std::size_t cells = 1;
  bool empty = false;
  for (const json& list : list_from(member_of(layout, "cuts"), "cuts")) {
    Shape cuts = counts_from(list, "a cut");
    const bool ascending =
        std::adjacent_find(cuts.begin(), cuts.end(), std::greater_equal<>()) == cuts.end();
    if (cuts.empty() || cuts.front() != 0 || !ascending)
      throw Malformed("has cuts that do not ascend from 0");
    empty |= cuts.size() == 1;
    if (__builtin_mul_overflow(cells, cuts.size() - 1, &cells)) cells = 0;
    read.shape_.push_back(cuts.back());
    read.cuts_.push_back(std::move(cuts));
  }
  if (!element_count(read.shape_) || cells != read.files_.size() || (cells == 0 && !empty))
    throw Malformed("has a grid with other than one rank for each cell");
  return read;
}

BoxLayout BoxLayout::list_from_json(const json& layout) try {
  std::vector<PlacedBox> placed;
  for (const json& pair : list_from(member_of(layout, "boxes"), "boxes"))
    placed.push_back({box_from(pair), 0});
  const auto files = counts_from(member_of(layout, "files"), "a rank");
  if (files.size() != placed.size()) throw Malformed("has other than one rank for each box");
  for (std::size_t i = 0; i != files.size(); ++i) placed[i].rank = files[i];
  return of(counts_from(member_of(layout, "shape"), "a size"), std::move(placed));
} catch (const std::invalid_argument& fault) {
  throw Malformed(std::string("has ") + fault.what());
}

void BoxLayout::for_each_touching(const Box& wanted,
                                  const std::function<void(const PlacedBox&)>& visit) const {
  if (std::any_of(wanted.size.begin(), wanted.size.end(), [](auto size) { return size == 0; }))
    return;
  if (grid_) return visit_cells(wanted, visit);
  for (std::size_t i = 0; i != boxes_.size(); ++i)
    if (intersection(boxes_[i], wanted)) visit({boxes_[i], files_[i]});
}

void BoxLayout::visit_cells(const Box& wanted,
                            const std::function<void(const PlacedBox&)>& visit) const {
  const std::size_t dims = cuts_.size();
  std::vector<std::size_t> first(dims), last(dims);  // cells [first, last) of each dimension
  for (std::size_t d = 0; d != dims; ++d) {
    first[d] = index_of(cuts_[d], wanted.offset[d] + 1) - 1;
    last[d] = index_of(cuts_[d], wanted.offset[d] + wanted.size[d]);
  }
  PlacedBox cell{wanted, 0};
  for (std::vector<std::size_t> at = first;;) {
    std::size_t number = 0;
    for (std::size_t d = 0; d != dims; ++d) {
      number = number * (cuts_[d].size() - 1) + at[d];
      cell.box.offset[d] = cuts_[d][at[d]];
      cell.box.size[d] = cuts_[d][at[d] + 1] - cuts_[d][at[d]];
    }
    cell.rank = files_[number];
    visit(cell);
    std::size_t d = dims;
    while (d > 0 && ++at[d - 1] == last[d - 1]) {
      at[d - 1] = first[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

}  // namespace mortise::host
