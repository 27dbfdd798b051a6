#pragma once

// What every Mesh owes its callers. Collective: every rank of the run runs the suite.

#include "communicator_contract.hpp"

namespace mortise::conformance {
namespace mesh {

// A group that is dropped while another rank still connects would look lost to it.
inline std::unique_ptr<Communicator> connected(Mesh& m, std::string_view axes) {
  std::unique_ptr<Communicator> group = m.communicator(axes);
  group->barrier();
  return group;
}

inline void check_axes(Mesh& m, Report& report) {
  std::set<std::string> names;
  std::int64_t ranks = 1, place = 0;
  std::string all;
  for (const MeshAxis& a : m.axes()) {
    report.expect(!a.name.empty() && names.insert(a.name).second,
                  "axes: names are unique and not empty");
    report.expect(a.size >= 1 && a.rank >= 0 && a.rank < a.size, "axes: the rank is in [0, size)");
    const std::unique_ptr<Communicator> one = connected(m, a.name);
    report.expect(one->size() == a.size && one->rank() == a.rank,
                  "communicator: one axis is its group");
    ranks *= a.size;
    place = place * a.size + a.rank;
    all += (all.empty() ? "" : ",") + a.name;
  }
  const std::unique_ptr<Communicator> whole = connected(m, all);
  report.expect(whole->size() == ranks, "communicator: all axes are all ranks");
  report.expect(whole->rank() == place,
                "communicator: ranks are counted with the slowest axis first");
  const std::unique_ptr<Communicator> absent = connected(m, "org_example_unheard_of");
  report.expect(absent->size() == 1 && absent->rank() == 0,
                "communicator: an absent axis has size 1");
}

// Two groups of the same ranks do not see each other's calls.
inline void check_groups(Mesh& m, Report& report) {
  for (const MeshAxis& axis : m.axes()) {
    const std::unique_ptr<Communicator> a = connected(m, axis.name);
    const std::unique_ptr<Communicator> b = connected(m, axis.name);
    const at::Tensor first = at::ones({8}), second = at::full({8}, 2.0f);
    const std::unique_ptr<Work> in_a = a->all_reduce(first, ReduceOp::sum);
    const std::unique_ptr<Work> in_b = b->all_reduce(second, ReduceOp::sum);
    in_b->wait();
    in_a->wait();
    report.expect(first.eq(double(axis.size)).all().item<bool>() &&
                      second.eq(2.0 * double(axis.size)).all().item<bool>(),
                  "communicator: each call makes a group of its own");
  }
}

}  // namespace mesh

inline void check_mesh_contract(Mesh& m, Report& report) {
  report.section("axes", [&] { mesh::check_axes(m, report); });
  report.section("groups", [&] { mesh::check_groups(m, report); });
}

}  // namespace mortise::conformance
