#pragma once

#include <mortise/parallel/selector.hpp>
#include <vector>

namespace mortise_pipeline {

// gpipe: all forward passes of the step, then all backward passes (Huang et al. 2019).
// one_f_one_b: as few forward passes ahead as keep the stages busy, then one forward and one
// backward pass in turn (Narayanan et al. 2019): stage s of S keeps at most S - s micro-batches.
enum class Order { gpipe, one_f_one_b };

struct Stage {
  std::int64_t number = 0, stages = 1;
  std::vector<std::int64_t> units;  // consecutive
};

// What a stage does with `count` micro-batches. Both orders run backward passes in the order of the
// micro-batches, so that gradients are added up as on one stage.
std::vector<mortise::Action> schedule_of(const Stage& stage, Order order, std::int64_t count);

}  // namespace mortise_pipeline
