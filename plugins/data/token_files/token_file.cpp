#include "token_file.hpp"

#include <unistd.h>

#include <mortise/error.hpp>

#include "../pbin/pbin_layout.hpp"
#include "llm_c_header.hpp"
#include "megatron_index.hpp"
#include "npy_header.hpp"
#include "tokens.hpp"

namespace mortise::token_files {

namespace {

std::string with_ending(const std::string& path, const char* ending) {
  return path.substr(0, path.size() - 4) + ending;
}

std::string data_path(const std::string& path) {
  return path.ends_with(".idx") ? with_ending(path, ".bin") : path;
}

std::optional<pbin::MappedFile> index_of(const std::string& path) {
  if (!path.ends_with(".bin")) return std::nullopt;
  std::string index = with_ending(path, ".idx");
  if (::access(index.c_str(), F_OK) != 0) return std::nullopt;
  return std::optional<pbin::MappedFile>(std::move(index));
}

Layout plain_layout(std::string_view file, const std::string& path) {
  if (file.size() % 2 != 0)
    throw DataError(path + " is no token file of nanoGPT: expected two bytes a token, got " +
                    std::to_string(file.size()) + " bytes");
  return {Format::plain, Element::u16, 0, std::int64_t(file.size() / 2)};
}

}  // namespace

TokenFile::TokenFile(const std::string& path)
    : file_(data_path(path)), index_(index_of(file_.path())), layout_(layout_of()) {}

Layout TokenFile::layout_of() const {
  const std::string_view bytes = file_.bytes();
  if (index_) return MegatronIndex(index_->bytes(), index_->path(), bytes.size()).layout();
  if (path().ends_with(".npy")) return npy_layout(bytes, path());
  if (!path().ends_with(".bin")) return pbin::pbin_layout(bytes, path());
  return is_llm_c(bytes) ? llm_c_layout(bytes, path()) : plain_layout(bytes, path());
}

std::string_view TokenFile::token_bytes() const {
  return file_.bytes().substr(layout_.offset, layout_.data_bytes());
}

void TokenFile::read(std::int64_t first, std::int64_t count, std::int64_t* out) const {
  read_tokens(token_bytes(), layout_.element, first, count, out);
}

void TokenFile::expect_scattered_reads() const {
  file_.will_use(token_bytes(), pbin::MappedFile::Use::scattered);
}

void TokenFile::read_scattered(std::int64_t first, std::int64_t count, std::int64_t* out) const {
  const std::size_t width = bytes_per_token();
  const std::string_view part =
      token_bytes().substr(std::size_t(first) * width, std::size_t(count) * width);
  file_.will_use(part, pbin::MappedFile::Use::soon);
  read(first, count, out);
}

bool TokenFile::knows_documents() const {
  return format() == Format::pbin || format() == Format::megatron;
}

bool TokenFile::has_split_documents() const {
  return index_ &&
         MegatronIndex(index_->bytes(), index_->path(), file_.bytes().size()).has_split_documents();
}

void TokenFile::each_document(const EachDocument& each) const {
  if (format() == Format::pbin)
    pbin::pbin_documents(file_.bytes(), layout_, path(), each);
  else if (format() == Format::megatron)
    MegatronIndex(index_->bytes(), index_->path(), file_.bytes().size()).documents(each);
  else
    each({0, tokens()});
}

std::vector<TokenSpan> TokenFile::documents() const {
  std::vector<TokenSpan> spans;
  each_document([&](TokenSpan span) { spans.push_back(span); });
  return spans;
}

}  // namespace mortise::token_files
