#include "host/training/start_report.hpp"

#include <cmath>
#include <cstdio>

namespace mortise::host {
namespace {

// 1234567 -> "1.23M"
std::string short_count(double n) {
  constexpr const char* units[] = {"", "k", "M", "B", "T"};
  int unit = 0;
  for (; n >= 1000 && unit < 4; ++unit) n /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f%s" : "%.3g%s", n, units[unit]);
  return text;
}

// "2: model.embed_tokens … model.layers.0 | model.layers.1 … lm_head"
std::string stages_of(const Layout& layout, const Names& units) {
  std::string text = std::to_string(layout.stages().size());
  for (std::int64_t s = 0; s != layout.stages().size(); ++s) {
    const std::vector<std::int64_t>& mine = layout.units_of(s);
    text += (s == 0 ? ": " : " | ") + units[std::size_t(mine.front())];
    if (mine.size() > 1) text += " … " + units[std::size_t(mine.back())];
  }
  return text;
}

std::string plural(std::int64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> start_report(const RunSettings& s, const Horizon& horizon,
                                      ModelProgram& model, DataProgram& data,
                                      std::int64_t first_step) {
  const Layout& layout = model.engine().layout();
  const std::int64_t ranks = layout.micro_batches().size();
  std::vector<std::string> lines;
  lines.push_back("run        " + s.name + " in " + s.folder + ", " +
                  plural(layout.everyone().size(), "rank") + ", cpu, " +
                  (s.compute == DType::bfloat16 ? "bfloat16 over float32 masters" : "float32"));
  lines.push_back("model      " + short_count(double(model.engine().parameters().count())) +
                  " parameters in " + plural(model.engine().parameters().units(), "unit"));
  if (layout.stages().size() > 1) lines.push_back("stages     " + stages_of(layout, model.units()));
  lines.push_back("step       " + plural(s.sequences, "sequence") + " of " +
                  std::to_string(s.sequence_length) + " = " +
                  short_count(double(horizon.tokens_per_step)) + " tokens in " +
                  std::to_string(s.micro_batches()) +
                  (s.micro_batches() == 1 ? " micro-batch" : " micro-batches"));
  char epochs[32];
  std::snprintf(epochs, sizeof epochs, "%.2f", horizon.epochs(horizon.total_steps));
  lines.push_back("length     " + plural(horizon.total_steps, "step") + ", " +
                  short_count(double(horizon.total_steps * horizon.tokens_per_step)) + " tokens, " +
                  epochs + " passes over the data" +
                  (first_step > 0 ? ", from step " + std::to_string(first_step) : ""));
  const DatasetInfo info = data.train().info();
  lines.push_back("data       " + info.source + ", " + plural(data.train().size(), "sample"));
  if (const std::int64_t idle = (ranks - s.micro_batches() % ranks) % ranks; idle > 0)
    lines.push_back("idle       " + plural(idle, "rank") +
                    " have no micro-batch in the last round of a step");
  return lines;
}

}  // namespace mortise::host
