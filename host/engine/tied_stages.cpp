#include "host/engine/tied_stages.hpp"

#include <ATen/ops/empty_like.h>

#include <set>

namespace mortise::host {

TiedStages::TiedStages(const Layout& layout, const Parameters& parameters)
    : stages_(layout.stages()) {
  for (const Piece& piece : parameters.pieces()) {
    const ParameterInfo& info = parameters.infos()[std::size_t(piece.parameter)];
    std::set<std::int64_t> stages;
    for (const std::int64_t unit : info.units) stages.insert(layout.stage_of(unit));
    if (info.trainable && stages.size() > 1)
      all_.push_back({piece.gradient, {stages.begin(), stages.end()}});
  }
}

void TiedStages::join() const {
  for (const Tied& t : all_) {
    at::Tensor mine = t.gradient;
    if (stages_.rank() != t.stages.front()) {
      stages_.send(mine, t.stages.front())->wait();
      mine.zero_();
      continue;
    }
    const at::Tensor theirs = at::empty_like(mine);
    for (std::size_t i = 1; i != t.stages.size(); ++i) {
      stages_.receive(theirs, t.stages[i])->wait();
      mine.add_(theirs);
    }
  }
}

void TiedStages::hand_out() const {
  for (const Tied& t : all_) {
    if (stages_.rank() != t.stages.front()) {
      stages_.receive(t.gradient, t.stages.front())->wait();
      continue;
    }
    for (std::size_t i = 1; i != t.stages.size(); ++i)
      stages_.send(t.gradient, t.stages[i])->wait();
  }
}

}  // namespace mortise::host
