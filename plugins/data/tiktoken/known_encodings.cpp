// Patterns and tokens as tiktoken 0.14.0, llama-models 0.3.0 and dashscope 2.0.2 have them.

#include "known_encodings.hpp"

namespace mortise::tiktoken {

namespace {

constexpr std::string_view kGpt2Pattern =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)";
constexpr std::string_view kCl100kPattern =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr std::string_view kO200kPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr KnownToken kGpt2[] = {{"<|endoftext|>", 50256}};
constexpr KnownToken kCl100k[] = {{"<|endoftext|>", 100257},
                                  {"<|fim_prefix|>", 100258},
                                  {"<|fim_middle|>", 100259},
                                  {"<|fim_suffix|>", 100260},
                                  {"<|endofprompt|>", 100276}};
constexpr KnownToken kO200k[] = {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}};
constexpr KnownToken kQwen[] = {
    {"<|endoftext|>", 151643}, {"<|im_start|>", 151644}, {"<|im_end|>", 151645}};
constexpr KnownToken kLlama3[] = {{"<|begin_of_text|>", 128000},   {"<|end_of_text|>", 128001},
                                  {"<|start_header_id|>", 128006}, {"<|end_header_id|>", 128007},
                                  {"<|eom_id|>", 128008},          {"<|eot_id|>", 128009},
                                  {"<|python_tag|>", 128010}};

constexpr KnownEncoding kKnown[] = {
    {"gpt2", kGpt2Pattern, kGpt2, "<|endoftext|>", "", 50257},
    {"cl100k_base", kCl100kPattern, kCl100k, "<|endoftext|>", "", 100277},
    {"o200k_base", kO200kPattern, kO200k, "<|endoftext|>", "", 200019},
    {"qwen", kQwenPattern, kQwen, "<|endoftext|>", "", 151851},
    {"llama3", kLlama3Pattern, kLlama3, "<|end_of_text|>", "<|begin_of_text|>", 128256}};

}  // namespace

const KnownEncoding* known_encoding(std::string_view name) {
  for (const KnownEncoding& known : kKnown)
    if (known.name == name) return &known;
  return nullptr;
}

std::string_view known_names() { return "gpt2, cl100k_base, o200k_base, qwen, llama3"; }

}  // namespace mortise::tiktoken
