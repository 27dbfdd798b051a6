#include "host/distributed/hang_report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace mortise::host {
namespace {

constexpr std::size_t kMostLines = 16;

// "stopped" or "ended" as the system says of a process, else "".
std::string state_of(std::int32_t process) {
  if (process == 0) return "";
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return "ended";
  const std::size_t name_end = text.rfind(')');  // the name may hold anything
  const char state = name_end + 2 < text.size() ? text[name_end + 2] : ' ';
  return state == 'T' ? "stopped" : state == 'Z' || state == 'X' ? "ended" : "";
}

RankReport::Calls calls_of(const CallTrace& trace, std::uint64_t kept) {
  RankReport::Calls all{trace.id(), 0, trace.label(), {}};
  const std::uint64_t size = trace.size();
  all.first = size > kept ? size - kept : 0;
  for (std::uint64_t n = all.first; n != size; ++n)
    if (const auto call = trace.at(n))
      all.calls.push_back(*call);
    else
      all = {all.id, n + 1, all.label, {}};
  return all;
}

std::string what_it_does(const RankReport& r) {
  if (!r.answers) return "does not answer";
  if (r.state == "stopped") return "is stopped (SIGSTOP)";
  if (!r.waits) return r.state == "ended" ? "has ended" : "computes";
  const std::string name = name_of(r.awaited.operation);
  return (r.group.empty() ? name : name + ", " + r.group) + (r.state.empty() ? "" : "; ended");
}

std::string line_of(const RankReport& r) {
  char line[256];
  const std::string step = r.answers ? std::to_string(r.step) : "";
  const std::string unit = r.answers && r.unit >= 0 ? std::to_string(r.unit) : "";
  const bool has_call = r.waits && !r.group.empty();
  const std::string call = has_call ? std::to_string(r.awaited.number) : "";
  const std::string bytes = has_call ? std::to_string(r.awaited.bytes) : "";
  char waited[32] = "";
  if (r.waits) std::snprintf(waited, sizeof waited, "%.1f s", r.seconds);
  const std::string what = what_it_does(r);
  std::snprintf(line, sizeof line, "\n  %4lld %6s %5s  %-36s %7s %11s %9s", (long long)r.rank,
                step.c_str(), unit.c_str(), what.c_str(), call.c_str(), bytes.c_str(), waited);
  std::string text = line;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// Whoever waits for nothing is what the others wait for.
bool comes_first(const RankReport& a, const RankReport& b) {
  const bool a_waits = a.waits && a.state.empty(), b_waits = b.waits && b.state.empty();
  return a_waits != b_waits ? b_waits : a.rank < b.rank;
}

}  // namespace

RankReport report_of(const Whereabouts& where, std::int64_t rank, std::uint64_t kept) {
  RankReport report;
  report.rank = rank;
  report.state = state_of(where.process.load());
  report.step = where.step.load();
  report.unit = where.unit.load();
  const std::int64_t since = where.waiting_since.load();
  report.waits = since != 0;
  if (report.waits) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    report.seconds = double(now - since) / 1e9;
    report.awaited = {where.operation.load(), where.trace.load(), where.number.load(),
                      where.bytes.load()};
    if (report.awaited.trace >= 0) report.group = where.traces[report.awaited.trace].label();
  }
  const int begun = where.traces_begun.load();
  for (int i = 0; i != begun; ++i)
    if (where.traces[i].size() != 0) report.traces.push_back(calls_of(where.traces[i], kept));
  return report;
}

std::string as_text(const RankReport& r) {
  nlohmann::json traces = nlohmann::json::array();
  for (const RankReport::Calls& t : r.traces) {
    nlohmann::json calls = nlohmann::json::array();
    for (const Call& c : t.calls) calls.push_back({int(c.operation), c.bytes});
    traces.push_back({t.id, t.first, t.label, calls});
  }
  return nlohmann::json{{"rank", r.rank},
                        {"state", r.state},
                        {"step", r.step},
                        {"unit", r.unit},
                        {"waits", r.waits},
                        {"operation", int(r.awaited.operation)},
                        {"number", r.awaited.number},
                        {"bytes", r.awaited.bytes},
                        {"group", r.group},
                        {"seconds", r.seconds},
                        {"traces", traces}}
      .dump();
}

RankReport report_from(const std::string& text) {
  const nlohmann::json j = nlohmann::json::parse(text);
  RankReport r;
  j.at("rank").get_to(r.rank);
  j.at("state").get_to(r.state);
  j.at("step").get_to(r.step);
  j.at("unit").get_to(r.unit);
  j.at("waits").get_to(r.waits);
  r.awaited.operation = Operation(j.at("operation").get<int>());
  j.at("number").get_to(r.awaited.number);
  j.at("bytes").get_to(r.awaited.bytes);
  j.at("group").get_to(r.group);
  j.at("seconds").get_to(r.seconds);
  for (const auto& t : j.at("traces")) {
    r.traces.push_back({t.at(0).get<std::uint64_t>(),
                        t.at(1).get<std::uint64_t>(),
                        t.at(2).get<std::string>(),
                        {}});
    for (const auto& c : t.at(3))
      r.traces.back().calls.push_back({Operation(c.at(0).get<int>()), c.at(1).get<std::int64_t>()});
  }
  return r;
}

std::string hang_table(std::vector<RankReport> reports) {
  std::stable_sort(reports.begin(), reports.end(), comes_first);
  char heading[256];
  std::snprintf(heading, sizeof heading, "\n  %4s %6s %5s  %-36s %7s %11s %9s", "rank", "step",
                "unit", "waits in", "call", "bytes", "for");
  std::string text = heading;
  for (std::size_t i = 0; i != std::min(reports.size(), kMostLines); ++i)
    text += line_of(reports[i]);
  if (reports.size() > kMostLines)
    text += "\n  and " + std::to_string(reports.size() - kMostLines) + " more";
  return text;
}

std::string where_calls_part(const std::vector<RankReport>& reports) {
  struct Made {
    const RankReport* report;
    const RankReport::Calls* calls;
  };
  std::map<std::uint64_t, std::vector<Made>> groups;
  for (const RankReport& r : reports)
    for (const RankReport::Calls& t : r.traces) groups[t.id].push_back({&r, &t});
  for (const auto& [id, made] : groups) {
    std::uint64_t first = 0, end = 0;
    for (const Made& m : made) {
      first = std::max(first, m.calls->first);
      end = std::max(end, m.calls->first + m.calls->calls.size());
    }
    for (std::uint64_t n = first; n < end; ++n) {
      const Made* one = nullptr;
      for (const Made& m : made) {
        if (n - m.calls->first >= m.calls->calls.size()) continue;
        const Call& call = m.calls->calls[n - m.calls->first];
        if (one == nullptr) one = &m;
        const Call& before = one->calls->calls[n - one->calls->first];
        if (call != before)
          return "the calls part: call " + std::to_string(n) + " of " + m.calls->label + " is " +
                 text_of(before) + " on rank " + std::to_string(one->report->rank) + " and " +
                 text_of(call) + " on rank " + std::to_string(m.report->rank);
      }
    }
  }
  return "";
}

}  // namespace mortise::host
