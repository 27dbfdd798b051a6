// What every tokenizer owes (the suite), and what this one promises.

#include "my_plugin.cpp"

#include <iostream>
#include <mortise/conformance/data/tokenizer_contract.hpp>

int main() {
  mortise::conformance::Report report;
  MyPlugin tokenizer;
  mortise::conformance::both_ways<mortise::Tokenizer>(
      tokenizer, report, [&](const mortise::Tokenizer& t) {
        mortise::conformance::check_tokenizer_contract(t, report);
      });
  report.expect(tokenizer.encode("az") == std::vector<std::uint32_t>{97, 122},
                "encode: an id is the value of its byte");
  std::cerr << report.text();
  return report.failures().empty() ? 0 : 1;
}
