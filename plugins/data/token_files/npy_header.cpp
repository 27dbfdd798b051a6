#include "npy_header.hpp"

#include <charconv>
#include <mortise/error.hpp>
#include <optional>
#include <utility>

#include "bytes.hpp"

namespace mortise::token_files {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostHeader = 1 << 16;  // a header of one dimension has about a hundred bytes

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw DataError(path + " is no .npy file of token ids: " + why);
}

struct Type {
  std::string_view name;
  Element element;
};
constexpr Type kTypes[] = {{"|u1", Element::u8},  {"|i1", Element::i8},  {"<u2", Element::u16},
                           {"<i2", Element::i16}, {"<u4", Element::u32}, {"<i4", Element::i32},
                           {"<u8", Element::u64}, {"<i8", Element::i64}};

Element element_of(std::string_view type, const std::string& path) {
  for (const Type& known : kTypes)
    if (known.name == type) return known.element;
  refuse(path, "its numbers are of type " + std::string(type) +
                   ", expected whole numbers in little-endian order, such as <u2 or <i4: "
                   "array.astype('<u4') makes them");
}

// The dictionary of the header, of which three keys and their kinds of values are known.
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  void read() {
    expect('{');
    while (!next_is('}')) {
      read_item();
      if (!next_is(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!text_.empty()) fail();
    if (!type || !fortran || !count) fail();
  }

  std::optional<std::string_view> type;
  std::optional<bool> fortran;
  std::optional<std::uint64_t> count;

 private:
  [[noreturn]] void fail() const {
    refuse(path_, "its header is no dictionary of descr, fortran_order and shape (N,)");
  }

  void skip_blanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }

  bool next_is(char c) {
    skip_blanks();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!next_is(c)) fail();
  }

  bool word_is(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::string_view quoted() {
    const char quote = next_is('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) fail();
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return word;
  }

  std::uint64_t number() {
    skip_blanks();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) fail();
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  void read_shape() {
    expect('(');
    if (next_is(')')) refuse(path_, "it holds a single number, expected one dimension");
    count = number();
    if (next_is(',') && !next_is(')'))
      refuse(path_, "it has several dimensions, expected one: array.reshape(-1) makes it so");
    else if (!text_.empty() && text_[0] == ')')
      fail();  // (5) is no tuple
  }

  void read_item() {
    const std::string_view key = quoted();
    expect(':');
    if (key == "descr" && !type) {
      if (next_is('[')) refuse(path_, "its elements are records, expected whole numbers");
      type = quoted();
    } else if (key == "fortran_order" && !fortran) {
      fortran = word_is("True");
      if (!*fortran && !word_is("False")) fail();
    } else if (key == "shape" && !count) {
      read_shape();
    } else {
      fail();
    }
  }

  std::string_view text_;
  const std::string& path_;
};

// The text of the header and where the numbers begin.
std::pair<std::string_view, std::uint64_t> header_of(std::string_view file,
                                                     const std::string& path) {
  if (!file.starts_with(kMagic) || file.size() < 10)
    refuse(path, "it does not begin with NumPy's magic and version");
  const auto version = static_cast<unsigned char>(file[6]);
  if (version < 1 || version > 3 || file[7] != 0)
    refuse(path, "it has format version " + std::to_string(version) + "." +
                     std::to_string(static_cast<unsigned char>(file[7])) +
                     ", expected 1.0, 2.0 or 3.0");
  const std::uint64_t begin = version == 1 ? 10 : 12;
  if (file.size() < begin) refuse(path, "it is cut off in its header");
  const std::uint64_t size =
      version == 1 ? number_at<std::uint16_t>(file, 8) : number_at<std::uint32_t>(file, 8);
  if (size > kMostHeader || size > file.size() - begin)
    refuse(path, "its header claims " + std::to_string(size) + " bytes, the file has " +
                     std::to_string(file.size() - begin) + " after its beginning");
  return {file.substr(begin, size), begin + size};
}

}  // namespace

Layout npy_layout(std::string_view file, const std::string& path) {
  const auto [text, offset] = header_of(file, path);
  Dictionary header(text, path);
  header.read();
  const Element element = element_of(*header.type, path);
  if (*header.fortran)
    refuse(path, "it is in Fortran's order, expected C's: numpy.ascontiguousarray makes it so");
  const std::uint64_t bytes = file.size() - offset, width = bytes_of(element);
  if (bytes % width != 0 || *header.count != bytes / width)
    refuse(path, "its header says " + std::to_string(*header.count) + " numbers of " +
                     std::to_string(width) + " bytes, the file has " + std::to_string(bytes) +
                     " bytes for them");
  return {Format::npy, element, offset, static_cast<std::int64_t>(*header.count)};
}

std::string npy_header(std::int64_t tokens, std::uint32_t width) {
  constexpr std::size_t digits = 21;  // room that NumPy keeps for a number that may grow
  const std::string count = std::to_string(tokens);
  const std::string type = width == 1 ? "|u1" : "<u" + std::to_string(width);
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + count +
                     ",), }" + std::string(digits - count.size(), ' ');
  const std::size_t whole = (10 + text.size() + 1 + 63) / 64 * 64;
  text.resize(whole - 10 - 1, ' ');
  text += '\n';
  return std::string(kMagic) + '\x01' + '\0' +
         bytes_of_number(static_cast<std::uint16_t>(text.size())) + text;
}

}  // namespace mortise::token_files
