// Owners and connectors of our own and the host's mesh and communicator, held to the contracts of
// their kinds.

#include "host/distributed/mesh.hpp"
#include "sdk/conformance/parallel/connector_contract.hpp"
#include "sdk/conformance/parallel/mesh_contract.hpp"
#include "sdk/conformance/parallel/owner_contract.hpp"
#include "sdk/conformance/parallel/selector_contract.hpp"
#include "tests/contract/plugin_contract.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/no_failures.hpp"
#include "tests/training/forked_ranks.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using conformance::Report;

constexpr std::chrono::milliseconds kTimeout(20000);

std::unique_ptr<host::HostMesh> mesh_of(std::vector<host::AxisSize> axes, int rank, int size,
                                        const std::string& store, Connector* connector = nullptr) {
  host::RankEnvironment ranks;
  ranks.rank = rank;
  ranks.size = size;
  auto meeting = size > 1 ? host::join_through_file(store, size, kTimeout) : nullptr;
  host::Carriage carriage;
  carriage.connector = connector;
  return std::make_unique<host::HostMesh>(std::move(axes), ranks, std::move(meeting), kTimeout,
                                          nullptr, std::move(carriage));
}

Report check_mesh(Mesh& mesh) {
  Report report;
  conformance::both_ways<Mesh>(mesh, report,
                               [&](Mesh& m) { conformance::check_mesh_contract(m, report); });
  std::string all;
  for (const MeshAxis& axis : mesh.axes()) all += (all.empty() ? "" : ",") + axis.name;
  const std::unique_ptr<Communicator> group = mesh.communicator(all);
  conformance::both_ways<Communicator>(*group, report, [&](Communicator& c) {
    conformance::check_communicator_contract(c, report);
  });
  return report;
}

}  // namespace

// First, while this process has no threads.
TEST_CASE("host: its mesh and communicator keep their contracts with 2, 3 and 4 ranks") {
  for (const bool shared : {false, true})
    for (const auto& axes :
         {std::vector<host::AxisSize>{{"dp", 2}}, {{"dp", 2}, {"tp", 2}}, {{"dp", 3}}}) {
      int size = 1;
      for (const host::AxisSize& a : axes) size *= int(a.size);
      CAPTURE(shared);
      CAPTURE(size);
      const TemporaryFolder folder;
      const std::vector<int> codes = run_forked(size, [&](int rank) {
        const LoadedComponent shared_memory("shared_memory", "shared_memory");
        Remote<Connector> connector = shared_memory.as<Connector>();
        const auto mesh = mesh_of(axes, rank, size, (folder.path() / "store").string(),
                                  shared ? &connector : nullptr);
        const Report report = check_mesh(*mesh);
        if (!report.failures().empty()) throw std::runtime_error(report.text());
      });
      CHECK(codes == std::vector<int>(std::size_t(size), 0));
    }
}

TEST_CASE("shared_memory: keeps the contract of a connector") {
  const LoadedComponent components[] = {{"shared_memory", "shared_memory"},
                                        {"shared_memory", "shared_memory"},
                                        {"shared_memory", "shared_memory"}};
  std::vector<Remote<Connector>> proxies;
  std::vector<Connector*> in_place, crossed;
  for (const LoadedComponent& c : components) {
    in_place.push_back(&c.in_place<Connector>());
    proxies.push_back(c.as<Connector>());
  }
  for (Remote<Connector>& p : proxies) crossed.push_back(&p);
  Report report;
  conformance::check_connector_contract(in_place, report);
  conformance::check_connector_contract(crossed, report);
  check_no_failures(report);
}

TEST_CASE("host: its mesh and communicator keep their contracts with one rank") {
  const auto mesh = mesh_of({{"dp", 1}}, 0, 1, "");
  check_no_failures(check_mesh(*mesh));
}

TEST_CASE("fsdp, ddp: keep the contract of an owner") {
  const auto mesh = mesh_of({{"dp", 1}}, 0, 1, "");
  for (const char* name : {"fsdp", "ddp"})
    for (const char* reduction : {"step", "micro_batch"}) {
      CAPTURE(std::string(name));
      CAPTURE(std::string(reduction));
      const auto make = [&] {
        return std::make_unique<LoadedComponent>(
            name, name, SettingList{{"reduction", reduction}},
            Surroundings{.services = {{Remote<Mesh>::id, kit::object_of<Mesh>(*mesh)}}});
      };
      Report report;
      check_fresh_both_ways<Owner>(
          report, make, [&](Owner& owner) { conformance::check_owner_contract(owner, report); });
      check_no_failures(report);
    }
}

TEST_CASE("fsdp: keeps the contract of an owner without resharding and without prefetch") {
  const auto mesh = mesh_of({{"dp", 1}}, 0, 1, "");
  for (const char* setting : {"reshard", "prefetch"}) {
    CAPTURE(std::string(setting));
    const auto make = [&] {
      return std::make_unique<LoadedComponent>(
          "fsdp", "fsdp", SettingList{{setting, false}},
          Surroundings{.services = {{Remote<Mesh>::id, kit::object_of<Mesh>(*mesh)}}});
    };
    Report report;
    check_fresh_both_ways<Owner>(
        report, make, [&](Owner& owner) { conformance::check_owner_contract(owner, report); });
    check_no_failures(report);
  }
}

TEST_CASE("pipeline: keeps the contract of a selector") {
  for (const char* schedule : {"gpipe", "1f1b"}) {
    CAPTURE(std::string(schedule));
    const LoadedComponent pipeline("pipeline", "pipeline", {{"schedule", schedule}});
    Report report;
    check_both_ways<Selector>(
        pipeline, report, [&](Selector& s) { conformance::check_selector_contract(s, report); });
    check_no_failures(report);
  }
}
