// What every command owes (the suite), and what this one promises.

#include "my_plugin.cpp"

#include <fstream>
#include <iostream>
#include <mortise/conformance/run/command_contract.hpp>
#include <sstream>

int main() {
  mortise::conformance::Report report;
  const std::string name = "my_plugin_test.txt";
  std::ofstream(name) << "abc";
  for (const char* file : {name.c_str(), "no_such_file"}) {
    MyPlugin command(MyPlugin::Config{.files = {file}});
    mortise::conformance::check_command_contract(command, report);
  }
  std::ostringstream printed;
  std::streambuf* const terminal = std::cout.rdbuf(printed.rdbuf());
  MyPlugin(MyPlugin::Config{.files = {name}, .total = false}).run();
  std::cout.rdbuf(terminal);
  report.expect(printed.str() == "3 my_plugin_test.txt\n", "run: a line for each file");
  std::cerr << report.text();
  return report.failures().empty() ? 0 : 1;
}
