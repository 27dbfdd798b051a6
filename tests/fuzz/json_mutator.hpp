#pragma once

// Changes JSON into other JSON: texts as libFuzzer changes bytes, other values by hand, and values
// put in each other's place.

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace mortise::tests {

class JsonMutator {
 public:
  explicit JsonMutator(unsigned seed) : random_(seed) {}

  void change(nlohmann::json& file) {
    collect(file);
    nlohmann::json& one = any();
    switch (below(4)) {
      case 0:
        one = nlohmann::json(any());
        return;
      case 1:
        if (one.is_array() && !one.empty()) {  // an item twice, or one item less
          if (below(2) == 0)
            one.push_back(nlohmann::json(one[below(one.size())]));
          else
            one.erase(below(one.size()));
        } else if (one.is_object() && !one.empty()) {
          one.erase(std::next(one.begin(), std::ptrdiff_t(below(one.size()))));
        }
        return;
      default:
        change_value(one);
    }
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  nlohmann::json& any() { return *all_[below(all_.size())]; }

  // All values, those of few items as often as those of many: a vocabulary has most of them.
  void collect(nlohmann::json& value) {
    all_.push_back(&value);
    std::size_t left = 8;
    if (value.is_structured())
      for (auto& item : value)
        if (value.size() <= left || below(value.size()) < left) collect(item);
  }

  void change_value(nlohmann::json& value) {
    if (value.is_string()) {
      std::string text = value.get<std::string>();
      const std::size_t size = text.size();
      text.resize(size + 16);
      text.resize(
          LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
      value = text;
    } else if (value.is_boolean()) {
      value = !value.get<bool>();
    } else if (value.is_number()) {
      static constexpr double kNumbers[] = {0, 1, 2, -1, 70000, 4294967295.0, 1e300, -1e-300};
      const double number = kNumbers[below(8)];
      value = nlohmann::json(number);
      if (number >= 0 && number < 5e9) value = std::uint64_t(number);
    }
  }

  std::minstd_rand random_;
  std::vector<nlohmann::json*> all_;
};

// What a fuzzer's LLVMFuzzerCustomMutator does: every fourth time, and with what is no JSON, bytes
// are changed as ever.
inline std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t most,
                               unsigned seed) {
  auto file = nlohmann::json::parse(data, data + size, nullptr, false);
  if (file.is_discarded() || seed % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  JsonMutator(seed).change(file);
  const std::string text = file.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace mortise::tests
