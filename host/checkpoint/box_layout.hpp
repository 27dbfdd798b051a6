#pragma once

#include <cstdint>
#include <functional>
#include <mortise/kit/torch.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mortise::host {

// A box and the rank in whose file it lies.
struct PlacedBox {
  Box box;
  std::int64_t rank = 0;
};

// Where the parts of all tensors that are cut alike lie. As a grid when the boxes are all cells of
// one: a list of boxes for every tensor would take gigabytes at ten thousand ranks. Together the
// boxes hold each element exactly once; none is empty.
class BoxLayout {
 public:
  // Order of `placed` does not matter. Throws std::invalid_argument, saying why, unless the boxes
  // tile the shape.
  static BoxLayout of(const Shape& shape, std::vector<PlacedBox> placed);
  // Throws Malformed. `ranks`: how many there were.
  static BoxLayout from_json(const nlohmann::json& layout, std::int64_t ranks);

  // {"cuts": [[0,128,257],[0,12]], "files": [0,1]}: places where each dimension is cut, and the
  // rank of each cell in row order; or {"shape": [4,4], "boxes": [[[0,0],[2,4]],…], "files": […]}.
  nlohmann::json to_json() const;

  const Shape& shape() const { return shape_; }
  std::size_t num_boxes() const { return files_.size(); }
  // Calls `visit` for every box that has elements in common with `wanted`.
  void for_each_touching(const Box& wanted,
                         const std::function<void(const PlacedBox&)>& visit) const;

 private:
  using Cuts = std::vector<Shape>;
  bool make_grid(const std::vector<PlacedBox>& placed);
  void visit_cells(const Box& wanted, const std::function<void(const PlacedBox&)>& visit) const;
  static BoxLayout grid_from(const nlohmann::json& layout);
  static BoxLayout list_from_json(const nlohmann::json& layout);

  Shape shape_;
  Cuts cuts_;               // a grid: per dimension 0, …, size
  std::vector<Box> boxes_;  // otherwise
  bool grid_ = true;
  std::vector<std::int64_t> files_;  // of cells in row order, or of boxes_
};

}  // namespace mortise::host
