// What every owner owes, seen from one rank (the suite), and what this one promises.

#include "my_plugin.cpp"

#include <iostream>
#include <mortise/conformance/parallel/one_rank.hpp>
#include <mortise/conformance/parallel/owner_contract.hpp>
#include <mortise/conformance/surroundings.hpp>

int main() {
  namespace suite = mortise::conformance;
  suite::Report report;
  suite::OneRankMesh mesh;
  suite::Surroundings host;
  host.offer<mortise::Mesh>(mesh);
  MyPlugin in_place(host.context()), behind_table(host.context());
  mortise::Remote<mortise::Owner> crossed(mortise::kit::object_of<mortise::Owner>(behind_table));
  suite::both_ways<mortise::Owner>(in_place, crossed, report, [&](mortise::Owner& owner) {
    suite::check_owner_contract(owner, report);
  });
  const std::size_t parameters = suite::sample_parameters().size();
  report.expect(in_place.pieces().size() == parameters, "pieces: a rank holds every parameter");
  std::cerr << report.text();
  return report.failures().empty() ? 0 : 1;
}
