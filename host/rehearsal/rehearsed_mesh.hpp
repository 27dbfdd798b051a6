#pragma once

#include <map>
#include <memory>
#include <mortise/parallel/mesh.hpp>
#include <string>
#include <vector>

namespace mortise::host {

// Calls of one kind that a rank makes in groups over the same axes.
struct CallKind {
  std::string axes;  // "dp,tp"
  std::int64_t ranks = 1;
  std::string operation;
  auto operator<=>(const CallKind&) const = default;
};
// `bytes`: of the whole, which for a gather is what comes out of it.
struct CallCount {
  std::int64_t calls = 0, bytes = 0;
  bool operator==(const CallCount&) const = default;
};
using Traffic = std::map<CallKind, CallCount>;
void add(Traffic& to, const Traffic& more);

// A mesh of which this process plays one rank: groups are as large as they would be, and what is
// asked of them is counted. Nothing moves: every rank of a gather seems to give the same, sums are
// what this rank has, what is received is zero. Groups of one rank are not counted.
class RehearsedMesh final : public Mesh {
 public:
  explicit RehearsedMesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)) {}
  std::vector<MeshAxis> axes() const override { return axes_; }
  std::unique_ptr<Communicator> communicator(std::string_view axes) override;

  // Counts here from now on; null: nowhere. Returns where it has counted until now.
  Traffic* count_in(Traffic* traffic) { return std::exchange(traffic_, traffic); }

 private:
  std::vector<MeshAxis> axes_;
  Traffic* traffic_ = nullptr;
};

}  // namespace mortise::host
