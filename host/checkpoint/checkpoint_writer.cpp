#include "host/checkpoint/checkpoint_writer.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

#include "host/checkpoint/box.hpp"
#include "host/checkpoint/files/checksum.hpp"
#include "host/checkpoint/files/durable_file.hpp"
#include "host/checkpoint/files/step_name.hpp"
#include "host/checkpoint/files/stored_type.hpp"
#include "host/checkpoint/index_builder.hpp"
#include "host/checkpoint/partial_folder.hpp"
#include "host/checkpoint/safetensors.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kKeyLength = 16;
constexpr SavedGroup kGroups[] = {SavedGroup::weights, SavedGroup::optimizer};

const std::vector<SavedTensor>& tensors_of(const CheckpointContent& content, SavedGroup group) {
  return group == SavedGroup::weights ? content.weights : content.optimizer;
}

void require_savable(const SavedTensor& tensor) {
  const bool fits = lies_within(tensor.box, tensor.shape) && tensor.values.defined() &&
                    tensor.values.dim() == 1 && tensor.values.is_contiguous() &&
                    tensor.values.is_cpu() && tensor.values.numel() >= tensor.box.count();
  if (!fits || !stored_type(tensor.values.scalar_type()))
    throw std::invalid_argument("`" + tensor.name + "` is no 1-d contiguous CPU tensor with the " +
                                "elements of its box " + in_brackets(tensor.box.size) + " at " +
                                in_brackets(tensor.box.offset) + " in " +
                                in_brackets(tensor.shape));
}

// What tells one box of one tensor from all others, in kKeyLength characters.
std::string key_of(const SavedTensor& tensor) {
  Checksum key;
  key.add(tensor.name.data(), tensor.name.size() + 1);  // with its zero
  for (const Shape* numbers : {&tensor.box.offset, &tensor.box.size})
    key.add(numbers->data(), numbers->size() * sizeof(std::int64_t));
  return key.hex();
}

// The keys of all that a rank holds, joined.
std::string keys_of(const CheckpointContent& content) {
  std::string keys;
  for (const SavedGroup group : kGroups)
    for (const SavedTensor& tensor : tensors_of(content, group)) {
      require_savable(tensor);
      if (tensor.box.count() != 0) keys += key_of(tensor);
    }
  return keys;
}

using Keys = std::unordered_set<std::string_view>;

// What the ranks below `rank` hold; views of `held`.
Keys keys_below(std::int64_t rank, const std::vector<std::string>& held) {
  Keys keys;
  for (std::size_t r = 0; r != std::size_t(rank); ++r)
    for (std::size_t i = 0; i < held[r].size(); i += kKeyLength)
      keys.insert(std::string_view(held[r]).substr(i, kKeyLength));
  return keys;
}

// Several boxes of one tensor in one file: all but the first carry their offset.
std::string entry_name(const SavedTensor& tensor, const std::set<std::string>& taken) {
  return taken.count(tensor.name) == 0 ? tensor.name
                                       : tensor.name + "@" + in_brackets(tensor.box.offset);
}

struct RankFile {
  fs::path path;
  SavedGroup group;
  const Keys& elsewhere;
};

void write_group(const RankFile& file, const std::vector<SavedTensor>& tensors,
                 RankReport& report) {
  std::vector<TensorToStore> chosen;
  std::set<std::string> names, mine;
  for (const SavedTensor& tensor : tensors) {
    const std::string key = key_of(tensor);
    const bool writes =
        tensor.box.count() != 0 && file.elsewhere.count(key) == 0 && mine.insert(key).second;
    report.add(file.group, tensor, writes ? std::optional(tensor.box) : std::nullopt);
    if (!writes) continue;
    chosen.push_back({entry_name(tensor, names), tensor.box.size, tensor.values});
    names.insert(chosen.back().name);
  }
  report.add(write_safetensors(file.path, chosen, {{"format", "pt"}}));
}

// Files of other ranks may lie on disks of their own when the run folder is not shared.
void require_visible(const CheckpointIndex& index, const fs::path& folder) {
  const std::string faults = size_faults(index, folder);
  if (!faults.empty())
    throw storage_failure(storage::not_shared, folder,
                          "rank 0 does not see all that the ranks wrote:\n" + faults,
                          "set run.folder to a file system that all ranks share");
}

void write_index(const fs::path& folder, const std::vector<std::string>& reports, std::int64_t step,
                 const Json& state) {
  IndexBuilder builder(folder, step);
  for (std::size_t rank = 0; rank != reports.size(); ++rank)
    builder.add(std::int64_t(rank), RankReport::parse(reports[rank]));
  builder.add(write_durably(folder / kStateFile,
                            state.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
  const CheckpointIndex index = std::move(builder).build();
  require_visible(index, folder);
  write_durably(folder / kIndexFile, index.text());
}

// "+payload" or "-id\nmessage"
std::string outcome_of(const std::function<std::string()>& work) {
  const auto failed = [](const std::string& id, const char* what) {
    return "-" + id + "\n" + what;
  };
  try {
    return "+" + work();
  } catch (const Failure& failure) {
    return failed(failure.id(), failure.what());
  } catch (const std::exception& error) {
    return failed(storage::unexpected, error.what());
  }
}

}  // namespace

CheckpointWriter::CheckpointWriter(fs::path checkpoints, SavingRanks ranks, WarningSink warn)
    : checkpoints_(std::move(checkpoints)), ranks_(std::move(ranks)), warn_(std::move(warn)) {}

fs::path CheckpointWriter::save(const CheckpointContent& content, const Json& state) {
  std::optional<PartialFolder> partial;  // rank 0's; removed when a rank fails
  const bool is_first = ranks_.rank == 0;
  const auto held = agree([&] {
    if (is_first) partial.emplace(checkpoints_, content.step, warn_);
    return keys_of(content);
  });
  const auto reports = agree([&] { return write_mine(content, held); });
  agree([&] {
    if (!is_first) return std::string();
    write_index(checkpoints_ / partial_name(content.step), reports, content.step, state);
    partial->commit();
    return std::string();
  });
  return checkpoints_ / step_name(content.step);
}

std::string CheckpointWriter::write_mine(const CheckpointContent& content,
                                         const std::vector<std::string>& held) {
  const Keys elsewhere = keys_below(ranks_.rank, held);
  const fs::path folder = checkpoints_ / partial_name(content.step);
  RankReport report;
  for (const SavedGroup group : kGroups)
    write_group({folder / file_name(group, ranks_.rank), group, elsewhere},
                tensors_of(content, group), report);
  return report.text();
}

// Does one part of a save on every rank: returns what each rank's part gave, or throws on every
// rank alike.
std::vector<std::string> CheckpointWriter::agree(const std::function<std::string()>& work) {
  const std::string mine = outcome_of(work);
  auto all = ranks_.gather ? ranks_.gather(mine) : std::vector<std::string>{mine};
  if (all.size() != std::size_t(ranks_.ranks))
    throw std::logic_error("gather gave " + std::to_string(all.size()) + " texts, expected " +
                           std::to_string(ranks_.ranks));
  for (std::size_t rank = 0; rank != all.size(); ++rank) {
    const std::string& text = all[rank];
    if (text.empty() || text.front() == '+') continue;
    const std::size_t line = text.find('\n');
    throw Failure(
        text.substr(1, line - 1), Exit::storage,
        (ranks_.ranks > 1 ? "rank " + std::to_string(rank) + ": " : "") + text.substr(line + 1));
  }
  for (std::string& text : all) text.erase(0, 1);
  return all;
}

}  // namespace mortise::host
