#pragma once

// Command `data convert`: a token file becomes one of another format. What the other format cannot
// carry is refused, or dropped when the user asks for it.

#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>
#include <optional>

#include "job.hpp"
#include "output.hpp"

namespace mortise::token_tools {

class DataConvert final : public Command {
 public:
  enum class Into { by_name, pbin, megatron, llm_c, plain, npy };
  struct Config {
    std::string_view input, out;
    Into format = Into::by_name;
    std::optional<std::int64_t> eod, width;
    bool drop_boundaries = false, overwrite = false, json = false;

    static constexpr auto settings() {
      return fields(
          field("input", &Config::input)
              .path()
              .positional()
              .required()
              .doc("token file: .pbin, .npy, .bin of nanoGPT or llm.c, .bin or .idx of Megatron"),
          field("out", &Config::out)
              .path()
              .required()
              .short_name('o')
              .doc("the new file: NAME.pbin, NAME.npy, NAME.idx, or NAME.bin with --format"),
          field("format", &Config::format)
              .choice("auto", Into::by_name)
              .choice("pbin", Into::pbin)
              .choice("megatron", Into::megatron)
              .choice("llm_c", Into::llm_c)
              .choice("nanogpt", Into::plain)
              .choice("npy", Into::npy)
              .doc("format of the new file; auto: as its name says"),
          field("eod", &Config::eod)
              .at_least(0)
              .doc("id that ends a document, where neither an index nor a side file tells"),
          field("width", &Config::width)
              .at_least(1)
              .at_most(4)
              .unit("bytes")
              .doc("of a token: 1, 2 or 4; default: what the vocabulary needs"),
          field("drop_boundaries", &Config::drop_boundaries)
              .doc("convert even where ends of documents are lost"),
          field("overwrite", &Config::overwrite).doc("replace a file that is there"),
          field("json", &Config::json).doc("print the result as JSON"));
    }
  };

  explicit DataConvert(const Config& config);
  std::int64_t run() override;

 private:
  void work(Job& job);
  token_files::Element element(const std::vector<Input>& inputs, const pbin::SideFile& facts) const;
  void copy(const Input& input, token_files::TokenWriter& writer, Job& job) const;

  Config config_;
  token_files::Target target_;
};

}  // namespace mortise::token_tools
