#pragma once

#include <vector>

#include "token_section.hpp"
#include "token_writer.hpp"

namespace mortise::token_files {

// NAME.bin and NAME.idx of Megatron-LM, each document one sequence.
class MegatronWriter final : public TokenWriter {
 public:
  explicit MegatronWriter(const Target& target);

  void add(std::span<const std::uint32_t> ids) override;
  void end_document() override;
  void finish(pbin::SideFile side) override;
  void publish() override;
  const std::string& path() const override { return section_.path(); }
  std::int64_t tokens() const override { return section_.tokens(); }
  std::int64_t documents() const override { return std::int64_t(lengths_.size()); }

 private:
  Element element_;
  TokenSection section_;
  pbin::PartialFile index_;
  std::vector<std::int32_t> lengths_;
  std::int64_t begin_ = 0;  // of the current document
};

}  // namespace mortise::token_files
