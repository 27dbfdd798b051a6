#include "model.hpp"

#include "bpe_merges.hpp"

namespace mortise::huggingface {

namespace {

void add(Vocabulary& vocabulary, std::string_view token, std::uint32_t id, const Json& where) {
  switch (vocabulary.add(token, id)) {
    case Vocabulary::Added::yes:
      return;
    case Vocabulary::Added::token_is_there:
      where.refuse("has the token " + in_quotes(token) + " twice");
    case Vocabulary::Added::id_is_there:
      where.refuse("gives the id " + std::to_string(id) + " to both " +
                   in_quotes(*vocabulary.token(id)) + " and " + in_quotes(token));
  }
}

Vocabulary bpe_vocabulary(const Json& vocab) {
  Vocabulary vocabulary(vocab.object().size());
  for (const auto field : vocab.object()) {
    std::uint64_t id;
    if (field.value.get(id) != simdjson::SUCCESS || id >= Json::kIdLimit)
      vocab.refuse("gives the token " + in_quotes(field.key) + " the id " +
                   std::string(simdjson::minify(field.value)) + ": expected 0 to " +
                   std::to_string(Json::kIdLimit - 1));
    add(vocabulary, field.key, std::uint32_t(id), vocab);
  }
  return vocabulary;
}

Vocabulary unigram_vocabulary(const Json& vocab) {
  Vocabulary vocabulary(vocab.list().size());
  for (const Json& piece : vocab.items()) {
    const auto id = std::uint32_t(vocabulary.size());
    if (id >= Json::kIdLimit)
      vocab.refuse("has more than " + std::to_string(Json::kIdLimit) + " pieces");
    const std::vector<Json> parts = piece.items();
    if (parts.size() != 2) piece.refuse("is not a pair of a piece and its score");
    add(vocabulary, parts[0].text(), id, piece);
  }
  return vocabulary;
}

bool is_unigram(const Json& model) {
  const auto type = model.find("type");
  // Old files do not name the type: BPE is what has merges.
  if (!type) {
    if (model.find("merges")) return false;
    model.refuse("has neither a type nor merges: expected BPE or Unigram");
  }
  if (type->text() == "Unigram") return true;
  if (type->text() == "BPE") return false;
  model.refuse_unsupported("the type " + in_quotes(type->text()));
}

}  // namespace

Vocabulary vocabulary_of(const Json& model) {
  const Json vocab = model.at("vocab");
  Vocabulary vocabulary = is_unigram(model) ? unigram_vocabulary(vocab) : bpe_vocabulary(vocab);
  if (vocabulary.size() == 0) vocab.refuse("is empty");
  return vocabulary;
}

std::unique_ptr<Model> model_of(const Json& model, const Vocabulary& vocabulary,
                                Alphabet alphabet) {
  return is_unigram(model) ? unigram_model(model, alphabet)
                           : bpe_model(model, vocabulary, alphabet);
}

void append_facts(const Json& model, const Vocabulary& vocabulary, std::string& facts) {
  const auto append = [&](std::uint32_t number) {
    facts.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (std::uint32_t id = 0; id != vocabulary.end_id(); ++id) {
    const auto token = vocabulary.token(id);
    append(token ? std::uint32_t(token->size()) : UINT32_MAX);
    if (token) facts += *token;
  }
  if (is_unigram(model)) {
    facts += model.at("vocab").minified();  // with the scores
  } else {
    for (const bpe::Merge& merge : merges_of(model.at("merges"), vocabulary)) {
      append(merge.left);
      append(merge.right);
    }
  }
  for (const char* key : {"unk_token", "unk_id", "fuse_unk", "byte_fallback", "ignore_merges"})
    if (const auto value = model.find(key))
      facts += std::string(key) + "=" + value->minified() + "\n";
}

}  // namespace mortise::huggingface
