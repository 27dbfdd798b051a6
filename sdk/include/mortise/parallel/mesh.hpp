#pragma once

#include <mortise/parallel/communicator.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// One axis of the mesh and this rank's place on it.
struct MeshAxis {
  std::string name{};
  std::int64_t size = 1, rank = 0;
};

/// How the ranks of a run are arranged: `dp_replicate`, `dp`, `tp`, `pp`, …. A service of the host.
///
/// Threads: construction of a component, main thread.
/// Ranks:   communicator is collective over all ranks of the run: every rank asks for the same axes
///          in the same order.
class Mesh : public Interface {
 public:
  /// All axes, the slowest first. An axis that the run does not name has size 1 and is absent.
  virtual std::vector<MeshAxis> axes() const = 0;
  /// The group of ranks that differ from this one on `axes` only: "dp", "dp,tp". An axis that is
  /// absent counts as size 1. Each call makes a group of its own.
  virtual std::unique_ptr<Communicator> communicator(std::string_view axes) = 0;
};

namespace kit {
template <>
struct members<MeshAxis> {
  using T = MeshAxis;
  using C = mt_mesh_axis;
  using List = mt_mesh_axes;
  using Sink = mt_mesh_axis_sink;
  static constexpr auto map =
      std::tuple{MORTISE_MEMBER(name), MORTISE_MEMBER(size), MORTISE_MEMBER(rank)};
};
}  // namespace kit

template <>
class Remote<Mesh> final : public kit::RemoteBase<Mesh, mt_mesh_v1> {
 public:
  static constexpr const char* id = "mortise/mesh/1";
  using Methods = kit::Methods<&Mesh::axes, &Mesh::communicator>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  std::vector<MeshAxis> axes() const override { return call(&Table::axes, &Mesh::axes); }
  std::unique_ptr<Communicator> communicator(std::string_view axes) override {
    return call(&Table::communicator, &Mesh::communicator, axes);
  }
};

}  // namespace mortise
