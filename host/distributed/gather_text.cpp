#include "host/distributed/gather_text.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <cstring>

namespace mortise::host {

std::vector<std::string> gather_text(Communicator& group, const std::string& mine) {
  if (group.size() == 1) return {mine};
  const at::Tensor sizes = at::empty({group.size()}, at::kLong);
  group.all_gather(sizes, at::full({1}, std::int64_t(mine.size()), at::kLong))->wait();
  const std::int64_t width = std::max<std::int64_t>(1, sizes.max().item<std::int64_t>());
  at::Tensor padded = at::zeros({width}, at::kByte);
  if (!mine.empty()) std::memcpy(padded.mutable_data_ptr<std::uint8_t>(), mine.data(), mine.size());
  const at::Tensor all = at::empty({group.size() * width}, at::kByte);
  group.all_gather(all, padded)->wait();
  std::vector<std::string> texts;
  for (std::int64_t r = 0; r != group.size(); ++r)
    texts.emplace_back(
        reinterpret_cast<const char*>(all.const_data_ptr<std::uint8_t>()) + r * width,
        std::size_t(sizes[r].item<std::int64_t>()));
  return texts;
}

}  // namespace mortise::host
