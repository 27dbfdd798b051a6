// What every metric sink owes (the suite), and what this one promises.

#include "my_plugin.cpp"

#include <iostream>
#include <mortise/conformance/run/metric_sink_contract.hpp>

int main() {
  mortise::conformance::Report report;
  const std::filesystem::path file = "my_plugin.csv";
  std::filesystem::remove(file);
  mortise::RunInfo run;
  run.folder = ".";
  MyPlugin sink(MyPlugin::Config{});
  mortise::conformance::both_ways<mortise::MetricSink>(sink, report, [&](mortise::MetricSink& s) {
    mortise::conformance::check_metric_sink_contract(s, run, report);
  });
  std::ifstream in(file);
  std::string header, line;
  std::getline(in, header);
  std::getline(in, line);
  report.expect(header == "step,name,value", "begin: a new table has a header");
  report.expect(line == "1,\"train/loss\",3.25", "write: a line for each number");
  std::cerr << report.text();
  return report.failures().empty() ? 0 : 1;
}
