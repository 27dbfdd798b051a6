#include "host/checkpoint/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "host/checkpoint/files/checked_json.hpp"
#include "host/checkpoint/files/storage_failure.hpp"
#include "host/checkpoint/files/stored_type.hpp"

namespace mortise::host {
namespace {

using nlohmann::json;
static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // the limit of the format
constexpr const char* kMetadata = "__metadata__";
constexpr int kDeepest = 4;

StoredType type_of(const TensorToStore& tensor) {
  const auto type = stored_type(tensor.values.scalar_type());
  if (!type)
    throw Malformed("`" + tensor.name + "` is of type " +
                    std::string(c10::toString(tensor.values.scalar_type())));
  return *type;
}

std::size_t bytes_of_tensor(const TensorToStore& tensor) {
  const auto bytes = type_of(tensor).bytes;
  const auto count = element_count(tensor.shape, bytes);
  if (!count || tensor.values.numel() < *count || !tensor.values.is_contiguous() ||
      !tensor.values.is_cpu())
    throw Malformed("`" + tensor.name + "` is no contiguous CPU tensor with the elements of " +
                    in_brackets(tensor.shape));
  return std::size_t(*count * bytes);
}

// Widest elements first, by name among equals.
std::vector<std::size_t> order_of(const std::vector<TensorToStore>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto wide_a = type_of(tensors[a]).bytes, wide_b = type_of(tensors[b]).bytes;
    return wide_a != wide_b ? wide_a > wide_b : tensors[a].name < tensors[b].name;
  });
  return order;
}

std::string header_of(const std::vector<TensorToStore>& tensors,
                      const std::vector<std::size_t>& order, const StoredMetadata& metadata) {
  json header = json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  std::size_t begin = 0;
  for (const std::size_t i : order) {
    const TensorToStore& tensor = tensors[i];
    const std::size_t end = begin + bytes_of_tensor(tensor);
    json entry = {
        {"dtype", type_of(tensor).name}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    if (tensor.name == kMetadata || !header.emplace(tensor.name, std::move(entry)).second)
      throw Malformed("names `" + tensor.name + "` twice");
    begin = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > kLongestHeader)
    throw Malformed("has a header of " + std::to_string(text.size()) +
                    " bytes, the format allows " + std::to_string(kLongestHeader));
  return text;
}

Failure malformed(const std::filesystem::path& path, const std::string& what) {
  return storage_failure(storage::broken_tensors, path, what,
                         "use another checkpoint; this file was not written by us or is damaged");
}

// Where the elements of a file lie.
struct DataPart {
  std::size_t begin, bytes;
};

StoredTensor tensor_from(const std::string& name, const json& entry, DataPart data) try {
  const std::string& type_name = text_from(member_of(entry, "dtype"), "dtype");
  const auto type = stored_type(type_name);
  if (!type) throw Malformed("has the type " + type_name + ", which LibTorch does not know");
  StoredTensor tensor{name, type->type, {}, 0, 0};
  for (const json& size : list_from(member_of(entry, "shape"), "shape"))
    tensor.shape.push_back(count_from(size, "a size"));
  const json& offsets = list_from(member_of(entry, "data_offsets"), "data_offsets");
  if (offsets.size() != 2) throw Malformed("has data_offsets that are no pair");
  const auto begin = std::uint64_t(count_from(offsets[0], "begin"));
  const auto end = std::uint64_t(count_from(offsets[1], "end"));
  if (begin > end || end > data.bytes) throw Malformed("has data_offsets outside the file");
  const auto count = element_count(tensor.shape, type->bytes);
  if (!count || std::uint64_t(*count * type->bytes) != end - begin)
    throw Malformed("is " + std::to_string(end - begin) + " bytes, which does not fit " +
                    type_and_shape(tensor.type, tensor.shape));
  tensor.begin = data.begin + begin;
  tensor.end = data.begin + end;
  return tensor;
} catch (const Malformed& fault) {
  throw Malformed("`" + name + "` " + fault.what());
}

StoredMetadata metadata_from(const json& texts) {
  if (!texts.is_object()) throw Malformed("has metadata that is no object");
  StoredMetadata metadata;
  for (const auto& [name, text] : texts.items())
    metadata.emplace(name, text_from(text, "metadata"));
  return metadata;
}

}  // namespace

FileRecord write_safetensors(const std::filesystem::path& path,
                             const std::vector<TensorToStore>& tensors,
                             const StoredMetadata& metadata) try {
  const std::vector<std::size_t> order = order_of(tensors);
  const std::string header = header_of(tensors, order, metadata);
  DurableFile file(path);
  const std::uint64_t length = header.size();
  file.write(&length, kLengthBytes);
  file.write(header);
  for (const std::size_t i : order)
    file.write(tensors[i].values.const_data_ptr(), bytes_of_tensor(tensors[i]));
  return file.finish();
} catch (const Malformed& fault) {
  throw storage_failure(storage::broken_tensors, path, fault.what(),
                        "this is a fault of the component that gave the tensor");
} catch (const json::exception& error) {
  throw storage_failure(storage::broken_tensors, path,
                        std::string("a name or text is not UTF-8: ") + error.what(),
                        "this is a fault of the component that gave the tensor");
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) try : file_(path) {
  read_header();
} catch (const Malformed& fault) {
  throw malformed(path, fault.what());
}

void SafetensorsFile::read_header() {
  const auto all = file_.bytes();
  if (all.size() < kLengthBytes) throw Malformed("is too short for a safetensors file");
  std::uint64_t length = 0;
  std::memcpy(&length, all.data(), kLengthBytes);
  if (length > kLongestHeader || length > all.size() - kLengthBytes)
    throw Malformed("has a header of " + std::to_string(length) + " bytes, the file has " +
                    std::to_string(all.size()));
  const std::string_view text(reinterpret_cast<const char*>(all.data()) + kLengthBytes, length);
  if (text.empty() || text.front() != '{') throw Malformed("has a header that is no object");
  const std::size_t data_begin = kLengthBytes + length;
  const json header = parse_checked(text, kDeepest);
  tensors_.reserve(header.size());
  for (const auto& [name, entry] : header.items())
    if (name == kMetadata)
      metadata_ = metadata_from(entry);
    else
      tensors_.push_back(tensor_from(name, entry, {data_begin, all.size() - data_begin}));
  require_no_holes(data_begin);
}

void SafetensorsFile::require_no_holes(std::size_t data_begin) const {
  std::vector<const StoredTensor*> by_place;
  for (const StoredTensor& tensor : tensors_) by_place.push_back(&tensor);
  std::sort(by_place.begin(), by_place.end(), [](const StoredTensor* a, const StoredTensor* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::size_t expected = data_begin;
  for (const StoredTensor* tensor : by_place) {
    if (tensor->begin != expected)
      throw Malformed("`" + tensor->name + "` overlaps another tensor or leaves a hole");
    expected = tensor->end;
  }
  if (expected != file_.bytes().size()) throw Malformed("has bytes that belong to no tensor");
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const StoredTensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

}  // namespace mortise::host
