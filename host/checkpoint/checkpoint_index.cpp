#include "host/checkpoint/checkpoint_index.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "host/checkpoint/files/checked_json.hpp"
#include "host/checkpoint/files/storage_failure.hpp"
#include "host/checkpoint/files/stored_file.hpp"
#include "host/checkpoint/files/stored_type.hpp"

namespace mortise::host {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "mortise-checkpoint";
constexpr std::int64_t kVersion = 1;
constexpr std::uint64_t kLargestIndex = std::uint64_t{1} << 30;
constexpr int kDeepest = 8;

json to_json(const FileRecord& file) { return {{"bytes", file.bytes}, {"xxh3", file.xxh3}}; }

json to_json(const IndexedTensor& tensor) {
  return {{"group", name_of(tensor.group)},
          {"dtype", stored_type(tensor.type).value().name},
          {"shape", tensor.shape},
          {"layout", tensor.layout}};
}

// "name": value, one line each, without the last comma.
template <class Range, class Name>
std::string member_lines(const Range& range, Name name_and_value) {
  std::string text;
  for (const auto& element : range) {
    const auto [name, value] = name_and_value(element);
    text += (text.empty() ? "\n" : ",\n") + json(name).dump() + ": " + value.dump();
  }
  return text;
}

std::string plain_name(const std::string& name) {
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos)
    throw Malformed("names a file outside its folder: `" + name + "`");
  return name;
}

FileRecord file_from(const std::string& name, const json& value) {
  FileRecord file;
  file.name = plain_name(name);
  file.bytes = std::uint64_t(count_from(member_of(value, "bytes"), "bytes"));
  file.xxh3 = text_from(member_of(value, "xxh3"), "xxh3");
  return file;
}

SavedGroup group_from(const json& value) {
  const std::string& name = text_from(value, "group");
  for (const SavedGroup group : {SavedGroup::weights, SavedGroup::optimizer})
    if (name == name_of(group)) return group;
  throw Malformed("has a tensor of group `" + name + "`");
}

IndexedTensor tensor_from(const json& value, const std::vector<BoxLayout>& layouts) {
  IndexedTensor tensor;
  tensor.group = group_from(member_of(value, "group"));
  const std::string& type_name = text_from(member_of(value, "dtype"), "dtype");
  const auto type = stored_type(type_name);
  if (!type) throw Malformed("has a tensor of type `" + type_name + "`");
  tensor.type = type->type;
  for (const json& size : list_from(member_of(value, "shape"), "shape"))
    tensor.shape.push_back(count_from(size, "a size"));
  tensor.layout = std::size_t(count_from(member_of(value, "layout"), "a layout"));
  if (!element_count(tensor.shape, type->bytes)) throw Malformed("has a tensor that is too large");
  if (tensor.layout >= layouts.size() || layouts[tensor.layout].shape() != tensor.shape)
    throw Malformed("has a tensor whose layout is of another shape");
  return tensor;
}

const json& object_from(const json& value, const char* what) {
  if (!value.is_object()) throw Malformed(std::string("has `") + what + "` that is no object");
  return value;
}

void require_format(const json& index) {
  if (text_from(member_of(index, "format"), "format") != kFormat)
    throw Malformed("is no index of a checkpoint of ours");
  const std::int64_t version = count_from(member_of(index, "version"), "version");
  if (version != kVersion)
    throw Malformed("is of format version " + std::to_string(version) +
                    ", this program reads version " + std::to_string(kVersion));
}

CheckpointIndex index_from(const json& value) {
  require_format(value);
  CheckpointIndex index;
  index.step = count_from(member_of(value, "step"), "step");
  index.ranks = count_from(member_of(value, "ranks"), "ranks");
  for (const auto& [name, file] : object_from(member_of(value, "files"), "files").items())
    index.files.push_back(file_from(name, file));
  for (const json& layout : list_from(member_of(value, "layouts"), "layouts"))
    index.layouts.push_back(BoxLayout::from_json(layout, index.ranks));
  for (const auto& [name, tensor] : object_from(member_of(value, "tensors"), "tensors").items())
    index.tensors.emplace(name, tensor_from(tensor, index.layouts));
  return index;
}

}  // namespace

std::string file_name(SavedGroup group, std::int64_t rank) {
  char number[24];
  std::snprintf(number, sizeof number, "%05lld", static_cast<long long>(rank));
  return std::string(name_of(group)) + "-" + number + ".safetensors";
}

const FileRecord* CheckpointIndex::find_file(const std::string& name) const {
  for (const FileRecord& file : files)
    if (file.name == name) return &file;
  return nullptr;
}

std::string CheckpointIndex::text() const {
  const json head = {{"format", kFormat}, {"version", kVersion}, {"step", step}, {"ranks", ranks}};
  std::string text = head.dump();
  text.pop_back();
  text += ",\n\"files\": {";
  text += member_lines(files, [](const FileRecord& f) { return std::pair(f.name, to_json(f)); });
  text += "},\n\"layouts\": [";
  for (std::size_t i = 0; i != layouts.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + layouts[i].to_json().dump();
  text += "],\n\"tensors\": {";
  text +=
      member_lines(tensors, [](const auto& t) { return std::pair(t.first, to_json(t.second)); });
  return text + "}}\n";
}

CheckpointIndex CheckpointIndex::parse(const std::string& text,
                                       const std::filesystem::path& file) try {
  return index_from(parse_checked(text, kDeepest));
} catch (const Malformed& fault) {
  throw storage_failure(storage::broken_index, file, fault.what(),
                        "use another checkpoint, or the version of Mortise that wrote this one");
}

CheckpointIndex read_index(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kIndexFile;
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    throw storage_failure(storage::no_index, folder,
                          std::string("is no complete checkpoint: it has no ") + kIndexFile,
                          "name the folder of a step, such as runs/NAME/checkpoints/step_00000200");
  return CheckpointIndex::parse(read_text(file, kLargestIndex), file);
}

std::string size_faults(const CheckpointIndex& index, const std::filesystem::path& folder) {
  std::string faults;
  for (const FileRecord& file : index.files) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(folder / file.name, error);
    if (!error && bytes == file.bytes) continue;
    faults += (faults.empty() ? "" : "\n") + ("  " + file.name + ": ") +
              (error ? error.message() : std::to_string(bytes) + " bytes") + ", expected " +
              std::to_string(file.bytes) + " bytes";
  }
  return faults;
}

}  // namespace mortise::host
