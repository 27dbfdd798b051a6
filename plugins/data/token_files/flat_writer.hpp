#pragma once

#include "token_section.hpp"
#include "token_writer.hpp"

namespace mortise::token_files {

// Files of a header and tokens, without documents: llm.c, nanoGPT, NumPy.
class FlatWriter final : public TokenWriter {
 public:
  explicit FlatWriter(const Target& target);

  void add(std::span<const std::uint32_t> ids) override;
  void end_document() override { ++documents_; }
  void finish(pbin::SideFile side) override;
  void publish() override { section_.publish(); }
  const std::string& path() const override { return section_.path(); }
  std::int64_t tokens() const override { return section_.tokens(); }
  std::int64_t documents() const override { return documents_; }

 private:
  std::string header() const;

  Format format_;
  std::uint32_t width_;
  TokenSection section_;
  std::int64_t documents_ = 0;
};

}  // namespace mortise::token_files
