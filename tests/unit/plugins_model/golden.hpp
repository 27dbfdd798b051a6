#pragma once

// Reads what tests/golden/make_model_golden.py wrote, and makes the same inputs as that script.

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace mortise::tests {

using Golden = std::map<std::string, at::Tensor>;

inline std::uint32_t read_number(std::istream& file) {
  std::uint32_t n = 0;
  file.read(reinterpret_cast<char*>(&n), sizeof n);
  return n;
}

// Every record but text, one-dimensional.
inline Golden read_golden(const std::string& name) {
  std::ifstream file(std::string(MORTISE_SOURCE_DIR) + "/tests/golden/model/" + name + ".bin",
                     std::ios::binary);
  if (!file) throw std::runtime_error("no golden numbers: " + name);
  const std::map<char, at::ScalarType> kinds = {
      {'f', at::kFloat}, {'d', at::kDouble}, {'q', at::kLong}, {'t', at::kByte}};
  Golden golden;
  while (file.peek() != EOF) {
    std::string key(read_number(file), ' ');
    file.read(key.data(), std::streamsize(key.size()));
    const at::ScalarType type = kinds.at(char(file.get()));
    const at::Tensor value = at::empty({read_number(file)}, type);
    file.read(static_cast<char*>(value.mutable_data_ptr()), std::streamsize(value.nbytes()));
    golden[key] = value;
  }
  return golden;
}

// Numbers in [-0.5, 0.5): element `i` of a stream.
inline double noise(std::uint64_t stream, std::uint64_t i) {
  auto x = std::uint32_t(i * 2654435761u + stream * 40503u + 12345u);
  x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
  x = (x ^ (x >> 13)) * 0xC2B2AE35u;
  x ^= x >> 16;
  return double(x) / 4294967296.0 - 0.5;
}

inline at::Tensor noise_tensor(std::uint64_t stream, at::IntArrayRef shape) {
  const at::Tensor t = at::empty(shape, at::kFloat);
  for (std::int64_t i = 0; i != t.numel(); ++i)
    t.mutable_data_ptr<float>()[i] = float(noise(stream, std::uint64_t(i)));
  return t;
}

// The weight of this name in the golden models.
inline at::Tensor golden_weight(const std::string& name, at::IntArrayRef shape) {
  std::uint64_t stream = 0;
  for (std::size_t i = 0; i != name.size(); ++i)
    stream += (i + 1) * static_cast<unsigned char>(name[i]);
  const bool is_norm =
      name.find("norm") != std::string::npos || name.find(".ln_") != std::string::npos;
  const double shift = is_norm && name.ends_with("weight") ? 1.0 : 0.0;
  const at::Tensor t = at::empty(shape, at::kFloat);
  for (std::int64_t i = 0; i != t.numel(); ++i)
    t.mutable_data_ptr<float>()[i] = float(noise(stream, std::uint64_t(i)) * 0.5 + shift);
  return t;
}

// ||a - b|| / ||b||, in float64; without the division where b is zero but for rounding, such as the
// gradient of a key's bias, which softmax does not see.
inline double distance(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.detach().flatten().to(at::kDouble),
                   y = b.detach().flatten().to(at::kDouble);
  const double norm = y.norm().item<double>();
  const double difference = x.sub(y).norm().item<double>();
  return norm < 1e-10 ? difference : difference / norm;
}

}  // namespace mortise::tests
