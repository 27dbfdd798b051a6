#include "tests/properties/random_case.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace mortise::tests {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + std::int64_t(random_() % std::uint64_t(high - low + 1));
  }
  bool once_in(std::int64_t n) { return between(1, n) == 1; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[between(0, std::int64_t(all.size()) - 1)];
  }

 private:
  std::mt19937_64 random_;
};

std::int64_t size_of(const MeshShape& mesh, const std::string& axis) {
  for (const auto& [name, size] : mesh)
    if (name == axis) return size;
  return 1;
}

SmallShape random_shape(Draw& draw, std::int64_t stages) {
  SmallShape s;
  s.vocabulary = draw.between(17, 70);
  s.heads = draw.one_of<std::int64_t>({2, 4, 6});
  s.kv_heads = draw.one_of<std::int64_t>({1, 2, s.heads});
  s.width = s.heads * draw.between(3, 8);
  s.layers = draw.between(std::max<std::int64_t>(1, stages - 2), std::max<std::int64_t>(3, stages));
  s.hidden = draw.between(9, 60);
  s.tied = draw.once_in(2);
  s.dropout = draw.once_in(2) ? 0.1 : 0;
  s.frozen_bias = draw.once_in(3);
  return s;
}

// As many first units as there are stages behind the first, or none: by cost.
std::vector<std::string> random_split(Draw& draw, const SmallShape& shape, std::int64_t stages) {
  if (draw.once_in(2)) return {};
  const Names units = SmallModel(shape).units();
  std::set<std::int64_t> firsts;
  while (std::int64_t(firsts.size()) + 1 != stages)
    firsts.insert(draw.between(1, std::int64_t(units.size()) - 1));
  std::vector<std::string> split;
  for (const std::int64_t u : firsts) split.push_back(units[std::size_t(u)]);
  return split;
}

// Each rank of cp has a part of every sequence; masks of dropout would differ from one process.
void share_sequences(Draw& draw, std::int64_t ranks, TrainingCase& c) {
  c.strategies.push_back({"probe_ring_attention", "ring_attention", ""});
  c.length = ranks * draw.between(4, 8);
  c.shape.dropout = 0, c.shape.value_bias = false;
  c.steps = 1, c.exact_attention = true;
}

std::string words(const TrainingCase& c) {
  const SmallShape& s = c.shape;
  const auto flag = [](bool on, const char* name) { return on ? std::string(", ") + name : ""; };
  std::string text = "V" + std::to_string(s.vocabulary) + " C" + std::to_string(s.width) + " L" +
                     std::to_string(s.layers) + " H" + std::to_string(s.heads) + " KV" +
                     std::to_string(s.kv_heads) + " F" + std::to_string(s.hidden) + ", " +
                     std::to_string(c.micro_batches) + " micro-batches of " +
                     std::to_string(c.sequences) + " x " + std::to_string(c.length) + ", " +
                     c.owner + flag(c.by_micro_batch, "reduction micro_batch") +
                     flag(!c.reshard, "no reshard") + flag(!c.prefetch, "no prefetch") +
                     flag(c.recompute, "recompute") + flag(s.tied, "tied") +
                     flag(s.dropout > 0, "dropout") + flag(s.frozen_bias, "frozen") +
                     flag(c.clip_norm > 0, "clipping") + ", norm " + std::to_string(c.norm);
  for (const auto& strategy : c.strategies) {
    text += ", " + strategy.key + " " + strategy.schedule;
    for (const std::string& first : strategy.split) text += " | " + first;
  }
  return text;
}

}  // namespace

std::int64_t ranks_of(const MeshShape& mesh) {
  std::int64_t ranks = 1;
  for (const auto& [axis, size] : mesh) ranks *= size;
  return ranks;
}

std::string text_of(const MeshShape& mesh) {
  std::string text;
  for (const auto& [axis, size] : mesh)
    text += (text.empty() ? "" : " x ") + axis + " " + std::to_string(size);
  return text;
}

TrainingCase random_case(const MeshShape& mesh, std::uint64_t seed) {
  Draw draw(seed);
  const std::int64_t stages = size_of(mesh, "pp");
  const std::int64_t dealt = size_of(mesh, "dp") * size_of(mesh, "dp_replicate");
  TrainingCase c;
  c.mesh = mesh;
  c.shape = random_shape(draw, stages);
  c.sequences = draw.between(1, 3), c.length = draw.between(4, 16);
  c.micro_batches = (stages - 1) * dealt + draw.between(1, 2 * dealt);
  c.steps = 2;
  c.owner = draw.one_of({"fsdp", "ddp"});
  c.by_micro_batch = !draw.once_in(3);
  c.ranks_of_reference = c.by_micro_batch ? 1 : dealt;
  c.reshard = draw.once_in(2), c.prefetch = draw.once_in(2);
  c.recompute = draw.once_in(3), c.delays = draw.once_in(2);
  c.clip_norm = draw.once_in(2) ? 0.05 : 0;
  c.norm = draw.one_of({1.0, 2.0, 2.0, std::numeric_limits<double>::infinity()});
  if (stages > 1) {
    const char* schedule = draw.one_of({"gpipe", "1f1b", "1f1b"});
    c.strategies.push_back({"pipeline", "pipeline", schedule, random_split(draw, c.shape, stages)});
  }
  if (const std::int64_t ranks = size_of(mesh, "cp"); ranks > 1) share_sequences(draw, ranks, c);
  c.name = text_of(mesh) + ", seed " + std::to_string(seed) + ": " + words(c);
  return c;
}

}  // namespace mortise::tests
