#include "host/training/run_history.hpp"

#include <chrono>
#include <sstream>

namespace mortise::host {

using Json = nlohmann::ordered_json;

void RunHistory::add(const Entry& entry, const std::string& config) const {
  Json lines = read();
  const std::string kept = "config-" + std::to_string(lines.size() + 1) + ".yaml";
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  lines.push_back({{"step", entry.step},
                   {"time", now.count()},
                   {"from", entry.from},
                   {"config_before", kept},
                   {"changes", entry.changes}});
  std::string text;
  for (const Json& line : lines)
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  folder_.write(folder_.path() / kept, folder_.read(folder_.config()));
  folder_.write(folder_.changes(), text);
  folder_.write(folder_.config(), config);
}

Json RunHistory::read() const {
  Json lines = Json::array();
  std::istringstream text(folder_.read(folder_.changes()));
  for (std::string line; std::getline(text, line);) {
    Json parsed = Json::parse(line, nullptr, false);
    if (parsed.is_object()) lines.push_back(std::move(parsed));
  }
  return lines;
}

std::string RunHistory::first_config() const {
  const Json lines = read();
  return folder_.read(lines.empty() ? folder_.config()
                                    : folder_.path() / lines[0].value("config_before", ""));
}

std::string RunHistory::config_after(std::int64_t step) const {
  const Json lines = read();
  for (std::size_t i = lines.size(); i-- != 0;) {
    if (lines[i].value("step", std::int64_t(-1)) != step) continue;
    return i + 1 == lines.size()
               ? folder_.read(folder_.config())
               : folder_.read(folder_.path() / lines[i + 1].value("config_before", ""));
  }
  return "";
}

}  // namespace mortise::host
