#include "host/rehearsal/dry_run.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace mortise::host {
namespace {

using Json = nlohmann::ordered_json;

// 1288490189 -> "1.20 GiB"
std::string size_text(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double n = double(bytes);
  int unit = 0;
  for (; n >= 1024 && unit < 4; ++unit) n /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.4g %s", n, units[unit]);
  return text;
}

// Columns as wide as their widest cell; the first `left` of them to the left.
std::vector<std::string> table(const std::vector<std::vector<std::string>>& rows,
                               std::size_t left) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i != row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line = "  ";
    for (std::size_t i = 0; i != row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < left ? row[i] + gap : gap + row[i]);
    }
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

std::string mesh_text(const std::vector<MeshAxis>& axes) {
  std::string text;
  for (const MeshAxis& a : axes)
    text += (text.empty() ? "" : " x ") + a.name + " " + std::to_string(a.size);
  return text;
}

std::string units_text(const std::vector<std::int64_t>& units) {
  std::string text = std::to_string(units.front());
  bool is_run = true;
  for (std::size_t i = 1; i != units.size(); ++i) is_run = is_run && units[i] == units[i - 1] + 1;
  if (units.size() > 1) text += (is_run ? ".." : ", …, ") + std::to_string(units.back());
  return text;
}

std::vector<std::string> memory_lines(const DryRun& run) {
  std::vector<std::vector<std::string>> rows{{"rank", "units", "parameters", "full", "masters",
                                              "gradients", "optimizer", "activations", "computing",
                                              "peak"}};
  for (const RankFigures& r : run.rehearsed) {
    const StepMemory& m = r.memory;
    rows.push_back({std::to_string(r.rank), units_text(r.units), std::to_string(r.elements),
                    size_text(m.parameters), size_text(m.masters), size_text(m.gradients),
                    size_text(m.slots), size_text(m.activations), size_text(m.computing),
                    size_text(m.total)});
  }
  return table(rows, 0);
}

std::vector<std::string> recomputation_lines(const DryRun& run) {
  std::vector<std::vector<std::string>> rows{
      {"rank", "none: activations", "peak", "all: activations", "peak"}};
  for (const RankFigures& r : run.rehearsed)
    rows.push_back({std::to_string(r.rank), size_text(r.kept_without),
                    size_text(r.without_recomputation.total), size_text(r.kept_with),
                    size_text(r.with_recomputation.total)});
  return table(rows, 0);
}

struct Span {
  CallCount least, most;
  std::size_t ranks = 0;
};

// Of each kind of call, what the ranks that make the fewest and the most of them make.
std::map<CallKind, Span> spans_of(const std::vector<RankFigures>& rehearsed) {
  std::map<CallKind, Span> spans;
  for (const RankFigures& r : rehearsed)
    for (const auto& [kind, count] : r.traffic) {
      Span& span = spans[kind];
      const bool first = span.ranks++ == 0;
      if (first || count.bytes < span.least.bytes) span.least = count;
      if (first || count.bytes > span.most.bytes) span.most = count;
    }
  for (auto& [kind, span] : spans)
    if (span.ranks != rehearsed.size()) span.least = {};
  return spans;
}

std::vector<std::string> traffic_lines(const DryRun& run) {
  std::vector<std::vector<std::string>> rows{
      {"group", "operation", "ranks", "calls", "bytes", "least on a rank"}};
  for (const auto& [kind, span] : spans_of(run.rehearsed))
    rows.push_back({kind.axes, kind.operation, std::to_string(kind.ranks),
                    std::to_string(span.most.calls), size_text(span.most.bytes),
                    span.least == span.most ? "" : size_text(span.least.bytes)});
  if (rows.size() == 1) return {"  none: there is one rank"};
  return table(rows, 2);
}

// When each stage is done with its schedule, and how long it has computed.
class Timetable {
 public:
  explicit Timetable(const std::vector<const RankFigures*>& stages)
      : stages_(stages), next_(stages.size()), now_(stages.size()), busy_(stages.size()) {}

  double bubble() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t s = 0; s != stages_.size(); ++s)
        while (next_[s] != stages_[s]->schedule.size() && act(s)) moved = true, ++next_[s];
    }
    const double end = *std::max_element(now_.begin(), now_.end());
    double busy = 0;
    for (const double b : busy_) busy += b;
    return end > 0 ? 1 - busy / (end * double(stages_.size())) : 0;
  }

 private:
  using Kind = Action::Kind;
  using Letter = std::tuple<bool, std::int64_t, std::int64_t>;  // gradients?, unit, micro-batch

  // False: what it waits for has not been sent.
  bool act(std::size_t s) {
    const PlannedAction& planned = stages_[s]->schedule[next_[s]];
    const Action& a = planned.action;
    switch (a.kind) {
      case Kind::send_activations:
        sent_[{false, a.unit, a.micro_batch}] = now_[s];
        return true;
      case Kind::send_gradients:
        sent_[{true, a.unit - 1, a.micro_batch}] = now_[s];
        return true;
      case Kind::receive_activations:
        return wait(s, {false, a.unit - 1, a.micro_batch});
      case Kind::receive_gradients:
        return wait(s, {true, a.unit, a.micro_batch});
      default:
        compute(s, planned);
        return true;
    }
  }
  bool wait(std::size_t s, const Letter& letter) {
    const auto found = sent_.find(letter);
    if (found == sent_.end()) return false;
    now_[s] = std::max(now_[s], found->second);
    return true;
  }
  void compute(std::size_t s, const PlannedAction& planned) {
    const double whole = planned.gives_gradients && planned.action.kind == Kind::backward ? 2 : 1;
    const double time = whole * stages_[s]->costs.at(planned.action.unit);
    now_[s] += time;
    busy_[s] += time;
  }

  std::vector<const RankFigures*> stages_;
  std::vector<std::size_t> next_;
  std::vector<double> now_, busy_;
  std::map<Letter, double> sent_;
};

Json memory_json(const StepMemory& m) {
  return {{"full_parameters", m.parameters},
          {"masters", m.masters},
          {"gradients", m.gradients},
          {"optimizer", m.slots},
          {"activations", m.activations},
          {"computing", m.computing},
          {"peak", m.total}};
}

Json rank_json(const RankFigures& r) {
  Json traffic = Json::array();
  for (const auto& [kind, count] : r.traffic)
    traffic.push_back({{"group", kind.axes},
                       {"ranks", kind.ranks},
                       {"operation", kind.operation},
                       {"calls", count.calls},
                       {"bytes", count.bytes}});
  Json place = Json::object();
  for (const MeshAxis& a : r.axes) place[a.name] = a.rank;
  return {
      {"rank", r.rank},
      {"place", place},
      {"units", r.units},
      {"parameters", r.elements},
      {"parameters_owned", r.owned},
      {"memory", memory_json(r.memory)},
      {"without_recomputation",
       {{"activations", r.kept_without}, {"peak", r.without_recomputation.total}}},
      {"with_recomputation", {{"activations", r.kept_with}, {"peak", r.with_recomputation.total}}},
      {"traffic", traffic}};
}

}  // namespace

std::vector<std::int64_t> ranks_to_rehearse(std::int64_t ranks, std::int64_t stages) {
  std::vector<std::int64_t> all;
  const std::int64_t of_stage = ranks / stages;
  for (std::int64_t s = 0; s != stages; ++s) {
    all.push_back(s * of_stage);
    if (of_stage > 1) all.push_back((s + 1) * of_stage - 1);
  }
  return all;
}

double bubble_of(const std::vector<RankFigures>& rehearsed) {
  std::vector<const RankFigures*> stages;
  for (const RankFigures& r : rehearsed)
    if (stages.empty() || stages.back()->stage != r.stage) stages.push_back(&r);
  return stages.size() < 2 ? 0 : Timetable(stages).bubble();
}

namespace {

std::vector<std::string> lines_of(const DryRun& run) {
  std::vector<std::string> lines = run.start;
  const auto& first = run.rehearsed.front();
  lines.push_back("mesh       " + mesh_text(first.axes) + " = " + std::to_string(run.ranks) +
                  (run.ranks == 1 ? " rank; " : " ranks; ") + std::to_string(run.rehearsed.size()) +
                  (run.rehearsed.size() == 1 ? " of them is" : " of them are") + " rehearsed");
  if (const double bubble = bubble_of(run.rehearsed); bubble > 0) {
    char text[64];
    std::snprintf(text, sizeof text, "bubble     stages wait %.1f %% of a step", 100 * bubble);
    lines.push_back(text);
  }
  const auto append = [&](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  lines.push_back("memory     of tensors at the peak of a step");
  append(memory_lines(run));
  lines.push_back("recompute  what other settings of it would need");
  append(recomputation_lines(run));
  lines.push_back("traffic    of a rank in a step");
  append(traffic_lines(run));
  if (!run.measured_whole)
    lines.push_back(
        "estimate   activations, and traffic of layers, follow from short sequences on a line; "
        "what grows faster than the sequence is not included");
  if (run.has_whole_matrices)
    lines.push_back(
        "estimate   an optimizer wants whole matrices: its memory is told as if it stepped parts, "
        "its traffic is not included");
  return lines;
}

Json json_of(const DryRun& run) {
  Json ranks = Json::array();
  for (const RankFigures& r : run.rehearsed) ranks.push_back(rank_json(r));
  Json mesh = Json::object();
  for (const MeshAxis& a : run.rehearsed.front().axes) mesh[a.name] = a.size;
  return {{"ranks", run.ranks},
          {"mesh", mesh},
          {"tokens_per_step", run.tokens_per_step},
          {"micro_batches", run.micro_batches},
          {"idle_ranks", run.idle},
          {"bubble", bubble_of(run.rehearsed)},
          {"activations_measured_whole", run.measured_whole},
          {"whole_matrices_as_parts", run.has_whole_matrices},
          {"rehearsed", ranks}};
}

}  // namespace

std::string told(const DryRun& run, bool json) {
  if (json) return json_of(run).dump(2) + "\n";
  std::string text;
  for (const std::string& line : lines_of(run)) text += line + "\n";
  return text + "ok\n";
}

}  // namespace mortise::host
