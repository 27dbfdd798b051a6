#pragma once

// A data set that gives what a test puts in.

#include <functional>
#include <mortise/data/dataset.hpp>

namespace mortise::tests {

class MadeUpSet final : public Dataset {
 public:
  using Make = std::function<Sample(std::int64_t index)>;
  MadeUpSet(std::int64_t size, Make make) : size_(size), make_(std::move(make)) {}
  DatasetInfo info() const override { return {}; }
  std::int64_t size() const override { return size_; }
  std::vector<Sample> read(std::span<const std::int64_t> indices) const override {
    std::vector<Sample> all;
    for (const std::int64_t index : indices) all.push_back(make_(index));
    return all;
  }
  std::string where(std::int64_t index) const override {
    return "made.up, sample " + std::to_string(index);
  }

 private:
  std::int64_t size_;
  Make make_;
};

inline Array integers(const std::string& name, const std::vector<std::int64_t>& values) {
  return array_of(name, DType::int64, values);
}

}  // namespace mortise::tests
