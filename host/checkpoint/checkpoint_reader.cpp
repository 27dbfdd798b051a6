#include "host/checkpoint/checkpoint_reader.hpp"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "host/checkpoint/box.hpp"
#include "host/checkpoint/files/storage_failure.hpp"
#include "host/checkpoint/files/stored_file.hpp"
#include "host/checkpoint/files/stored_type.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLargestState = std::uint64_t{1} << 28;
constexpr const char* kDamaged =
    "resume from an earlier step (--resume STEP) or copy the checkpoint again";
constexpr const char* kOtherModel =
    "use the settings that the checkpoint was made with, or set checkpoint.allow_partial: true to "
    "load only what fits";

void require_sizes(const CheckpointIndex& index, const fs::path& folder) {
  const std::string faults = size_faults(index, folder);
  if (!faults.empty())
    throw storage_failure(storage::wrong_size, folder,
                          "files are missing or of another size:\n" + faults, kDamaged);
}

void require_checksums(const CheckpointIndex& index, const fs::path& folder, ChecksumShare share) {
  std::string faults;
  for (std::size_t i = 0; i != index.files.size(); ++i) {
    if (std::int64_t(i) % share.parts != share.part) continue;
    const FileRecord& file = index.files[i];
    const std::string got = checksum_of(folder / file.name);
    if (got != file.xxh3)
      faults += "\n  " + file.name + ": XXH3 " + got + ", expected " + file.xxh3;
  }
  if (!faults.empty())
    throw storage_failure(storage::wrong_checksum, folder,
                          "files are not what was written:" + faults, kDamaged);
}

// Names as the writer gives them: with its offset where one file holds several boxes of a tensor.
const StoredTensor* find_box(const SafetensorsFile& file, const std::string& name, const Box& box) {
  const StoredTensor* found = file.find(name + "@" + in_brackets(box.offset));
  return found != nullptr ? found : file.find(name);
}

void list_names(std::string& text, const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  text += (text.empty() ? "" : "\n") + std::string("  ") + title + " (" +
          std::to_string(names.size()) + "):";
  for (const std::string& name : names) text += "\n    " + name;
}

}  // namespace

std::string CheckpointDifference::text() const {
  std::string text;
  list_names(text, "missing in the checkpoint", missing);
  list_names(text, "not expected", unexpected);
  list_names(text, "of another shape or type", mis_shaped);
  return text;
}

Checkpoint Checkpoint::open(const fs::path& folder, ChecksumShare share) {
  CheckpointIndex index = read_index(folder);
  require_sizes(index, folder);
  require_checksums(index, folder, share);
  return Checkpoint(folder, std::move(index));
}

Checkpoint::Checkpoint(fs::path folder, CheckpointIndex index)
    : folder_(std::move(folder)), index_(std::move(index)) {}

Json read_state(const fs::path& folder) try {
  return Json::parse(read_text(folder / kStateFile, kLargestState));
} catch (const Json::exception& error) {
  throw storage_failure(storage::broken_index, folder / kStateFile,
                        std::string("is no JSON: ") + error.what(), kDamaged);
}

Json Checkpoint::state() const { return read_state(folder_); }

at::Tensor Checkpoint::read(const std::string& name, const Box& box) const {
  const IndexedTensor& tensor = tensor_for(name, box);
  at::Tensor values = at::empty({box.count()}, at::TensorOptions(tensor.type));
  read_into(name, box, values);
  return values;
}

void Checkpoint::read_into(const std::string& name, const Box& box, at::Tensor& to) const {
  const IndexedTensor& tensor = tensor_for(name, box);
  TORCH_CHECK(to.dim() == 1 && to.is_contiguous() && to.is_cpu() && to.numel() >= box.count() &&
                  to.scalar_type() == tensor.type,
              "`", name, "` is read into a 1-d contiguous CPU tensor of its type with room for ",
              box.count(), " elements");
  auto* target = static_cast<std::byte*>(to.mutable_data_ptr());
  index_.layouts[tensor.layout].for_each_touching(box, [&](const PlacedBox& placed) {
    const SafetensorsFile& file = file_of(tensor.group, placed.rank);
    const StoredTensor* stored = find_box(file, name, placed.box);
    if (stored == nullptr || stored->type != tensor.type || stored->shape != placed.box.size)
      throw storage_failure(storage::broken_tensors, folder_ / file_name(tensor.group, placed.rank),
                            "does not hold `" + name + "` as the index says", kDamaged);
    copy_part(intersection(placed.box, box).value(), {placed.box, file.bytes(*stored).data()},
              {box, target}, to.element_size());
  });
}

const IndexedTensor& Checkpoint::tensor_for(const std::string& name, const Box& box) const {
  const auto found = index_.tensors.find(name);
  if (found == index_.tensors.end())
    throw storage_failure(storage::other_model, folder_, "holds no tensor `" + name + "`",
                          kOtherModel);
  if (!lies_within(box, found->second.shape))
    throw storage_failure(storage::other_model, folder_,
                          "`" + name + "` is " + in_brackets(found->second.shape) + ", asked for " +
                              in_brackets(box.size) + " at " + in_brackets(box.offset),
                          kOtherModel);
  return found->second;
}

const SafetensorsFile& Checkpoint::file_of(SavedGroup group, std::int64_t rank) const {
  const std::string name = file_name(group, rank);
  auto& file = files_[name];
  if (file) return *file;
  if (index_.find_file(name) == nullptr)
    throw storage_failure(storage::broken_index, folder_ / kIndexFile,
                          "places tensors in " + name + " but does not list it", kDamaged);
  file = std::make_unique<SafetensorsFile>(folder_ / name);
  return *file;
}

CheckpointDifference Checkpoint::compare(SavedGroup group,
                                         const std::vector<ExpectedTensor>& expected) const {
  CheckpointDifference difference;
  std::set<std::string> names;
  for (const ExpectedTensor& wanted : expected) {
    names.insert(wanted.name);
    const auto found = index_.tensors.find(wanted.name);
    if (found == index_.tensors.end() || found->second.group != group)
      difference.missing.push_back(wanted.name);
    else if (found->second.shape != wanted.shape || found->second.type != wanted.type)
      difference.mis_shaped.push_back(
          wanted.name + ": expected " + type_and_shape(wanted.type, wanted.shape) +
          ", the checkpoint has " + type_and_shape(found->second.type, found->second.shape));
  }
  for (const auto& [name, tensor] : index_.tensors)
    if (tensor.group == group && names.count(name) == 0) difference.unexpected.push_back(name);
  return difference;
}

void Checkpoint::require_same(SavedGroup group, const std::vector<ExpectedTensor>& expected) const {
  const CheckpointDifference difference = compare(group, expected);
  if (!difference.empty())
    throw storage_failure(
        storage::other_model, folder_,
        std::string("the ") + name_of(group) + " do not fit the model:\n" + difference.text(),
        kOtherModel);
}

}  // namespace mortise::host
