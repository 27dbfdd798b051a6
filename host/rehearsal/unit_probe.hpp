#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/engine/engine.hpp"
#include "host/rehearsal/memory_count.hpp"
#include "host/rehearsal/rehearsed_mesh.hpp"

namespace mortise::host {

struct TensorForm {
  std::vector<std::int64_t> sizes;
  at::ScalarType type = at::kFloat;
};

// What one unit needs for one micro-batch, in bytes, and what its layers ask of communicators.
struct UnitFigures {
  std::int64_t outputs = 0;        // that the next unit gets
  std::int64_t kept = 0;           // for the backward pass, besides outputs and inputs
  std::int64_t forward = 0;        // more at the most of a forward pass
  std::int64_t forward_plain = 0;  // the same where nothing is kept
  std::int64_t backward = 0;       // more at the most of a backward pass, with all gradients
  std::int64_t sent = 0;           // tensors among the outputs
  Traffic forward_calls, backward_calls;
};

// Measures units by running each kind of them once or twice.
//
// One batch: as in a step, exact. Two: shorter ones; what a batch of `tokens` needs lies on the
// line through what they need.
class UnitProbe {
 public:
  UnitProbe(std::vector<Batch> batches, double tokens)
      : batches_(std::move(batches)), tokens_(tokens) {}

  // Of a unit whose parameters are there. The unit before it must have been asked for, on this rank
  // or another.
  const UnitFigures& measure(std::int64_t unit, Engine& engine, RehearsedMesh& mesh,
                             MemoryCount& memory);
  const UnitFigures& of(std::int64_t unit) const { return kinds_.at(kind_of_.at(unit)).figures; }

 private:
  using Forms = std::vector<TensorForm>;
  struct Kind {
    UnitFigures figures;
    std::vector<Forms> outputs;  // for each batch
  };
  struct Sample;
  std::string kind_of(std::int64_t unit, const Engine& engine, const std::vector<Forms>& in) const;
  static Sample run(std::int64_t unit, Engine& engine, RehearsedMesh& mesh, MemoryCount& memory,
                    const Batch& batch, const Forms& in);
  UnitFigures on_the_line(const Sample& a, const Sample& b) const;

  std::vector<Batch> batches_;
  double tokens_;
  std::map<std::string, Kind> kinds_;
  std::map<std::int64_t, std::string> kind_of_;  // by unit
};

// `batch` as it is if a step of these units can be computed in a moment, else two short ones.
std::vector<Batch> probe_batches(const Batch& batch, const Engine& engine,
                                 double affordable_operations);

}  // namespace mortise::host
