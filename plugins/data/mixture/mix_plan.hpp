#pragma once

// Which source each position of a run takes a sample of, and the how-manieth of that source.

#include <cstdint>
#include <mortise/amount.hpp>
#include <mortise/data/dataset.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apportionment.hpp"

namespace mortise::mixture {

struct Source {
  std::string name;
  std::int64_t samples = 0;
  std::optional<double> repeat;  // passes over it, at most
};

struct Stage {
  std::optional<Amount> until;  // nothing: the end of the run
  std::vector<double> weights;  // one for each source; 0: not in this stage
};

class MixPlan {
 public:
  MixPlan(std::vector<Source> sources, std::vector<Stage> stages);

  // The positions [first, first + count) of one source, in order: it draws its samples
  // `number`, `number` + 1, … .
  struct Draws {
    std::int64_t number = 0;
    std::vector<std::size_t> places;  // in the request
  };
  // One for each source.
  // Errors: ConfigError for stages that do not follow each other or end before the run does;
  //         DataError when a source would be drawn more often than its repeat allows.
  std::vector<Draws> draws(const DrawRequest& request) const;
  // How many samples of each source the positions before `request.first` take.
  std::vector<std::int64_t> drawn(const DrawRequest& request) const;
  const std::vector<Source>& sources() const { return sources_; }

 private:
  // A stage in positions, and what the stages before it have drawn.
  struct Span {
    std::int64_t begin, end;
    std::vector<std::int64_t> drawn;
  };
  std::vector<Span> spans(const DrawRequest& run) const;
  std::int64_t end_of(std::size_t stage, const DrawRequest& run) const;
  std::vector<std::int64_t> drawn_before(const std::vector<Span>& spans,
                                         std::int64_t position) const;
  void check_repeats(const std::vector<Span>& spans, const DrawRequest& request) const;
  std::int64_t limit_of(const Source& source) const;

  std::vector<Source> sources_;
  std::vector<Stage> stages_;
  std::vector<Apportionment> deals_;  // one for each stage
  std::int64_t samples_ = 0;          // of all sources
};

}  // namespace mortise::mixture
