#pragma once

#include <nlohmann/json.hpp>

#include "host/checkpoint/box.hpp"
#include "host/checkpoint/checkpoint_writer.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/unit/checkpoint/random_tensors.hpp"
#include "tests/unit/checkpoint/simulated_ranks.hpp"

namespace mortise::tests {

inline host::SavedTensor whole(std::string name, const at::Tensor& values, Shape shape) {
  Box box = host::whole_box(shape);
  return {std::move(name), std::move(shape), std::move(box), values};
}

// A small model of one rank: two weights, one slot for each.
inline host::CheckpointContent small_content(std::int64_t step) {
  Random random{std::uint64_t(step)};
  host::CheckpointContent content{step, {}, {}};
  for (const char* name : {"embed.weight", "norm.weight"}) {
    const Shape shape = {4, 3};
    content.weights.push_back(whole(name, random_bits(random, 12, at::kFloat), shape));
    content.optimizer.push_back(
        whole(std::string("adamw.exp_avg/") + name, random_bits(random, 12, at::kFloat), shape));
  }
  return content;
}

inline std::filesystem::path save_small(
    const std::filesystem::path& checkpoints, std::int64_t step,
    const host::WarningSink& warn = [](const std::string&) {}) {
  return host::CheckpointWriter(checkpoints, {}, warn).save(small_content(step), {{"step", step}});
}

// The Failure that `work` throws: "id\nmessage", or "none".
template <class Work>
std::string failure_from(Work work) {
  try {
    work();
    return "none";
  } catch (const host::Failure& failure) {
    CHECK(failure.exit() == host::Exit::storage);
    return failure.id() + "\n" + failure.what();
  }
}

inline std::string failure_from(const std::exception_ptr& thrown) {
  return failure_from([&] {
    if (thrown) std::rethrow_exception(thrown);
  });
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

using Strings = std::vector<std::string>;

}  // namespace mortise::tests
