#include "host/checkpoint/safetensors.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

#include <cstdlib>

#include "host/failure.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/unit/checkpoint/random_tensors.hpp"
#include "tests/unit/checkpoint/scratch_folder.hpp"

namespace mortise::tests {
namespace {

using host::SafetensorsFile;
using host::write_safetensors;

std::string with_header(const std::string& header, std::size_t data_bytes) {
  std::string file(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(file.data(), &length, 8);
  return file + header + std::string(data_bytes, 'x');
}

std::string failure_of(const std::filesystem::path& file) {
  try {
    SafetensorsFile opened(file);
    return "none";
  } catch (const host::Failure& failure) {
    CHECK(failure.exit() == host::Exit::storage);
    CHECK(std::string(failure.what()).find(file.string()) == 0);
    return failure.id();
  }
}

TEST_CASE("safetensors: every type and shape comes back bit for bit, aligned") {
  const ScratchFolder scratch;
  Random random(7);
  const at::ScalarType types[] = {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong,
                                  at::kInt,   at::kShort,  at::kChar, at::kByte,     at::kBool};
  const Shape shapes[] = {{}, {1}, {0, 3}, {5, 3}, {2, 3, 2}};
  std::vector<host::TensorToStore> tensors;
  for (const at::ScalarType type : types)
    for (const Shape& shape : shapes) {
      const std::int64_t count = Box{shape, shape}.count();
      tensors.push_back({std::string(c10::toString(type)) + "/" + std::to_string(tensors.size()),
                         shape, random_bits(random, count, type)});
    }
  const auto record = write_safetensors(scratch / "all.safetensors", tensors, {{"format", "pt"}});
  CHECK(record.name == "all.safetensors");
  CHECK(record.bytes == std::filesystem::file_size(scratch / "all.safetensors"));
  CHECK(record.xxh3 == host::checksum_of(scratch / "all.safetensors"));

  const SafetensorsFile file(scratch / "all.safetensors");
  CHECK(file.metadata().at("format") == "pt");
  CHECK(file.tensors().size() == tensors.size());
  CHECK(file.find("nothing") == nullptr);
  for (const auto& wanted : tensors) {
    CAPTURE(wanted.name);
    const auto* stored = file.find(wanted.name);
    REQUIRE(stored != nullptr);
    CHECK(stored->shape == wanted.shape);
    CHECK((stored->type == wanted.values.scalar_type()));
    const auto bytes = file.bytes(*stored);
    REQUIRE(bytes.size() == wanted.values.nbytes());
    CHECK((bytes.empty() ||
           std::memcmp(bytes.data(), wanted.values.const_data_ptr(), bytes.size()) == 0));
    CHECK(stored->begin % wanted.values.element_size() == 0);
  }
}

TEST_CASE("safetensors: a file without tensors is a file") {
  const ScratchFolder scratch;
  write_safetensors(scratch / "none.safetensors", {});
  CHECK(SafetensorsFile(scratch / "none.safetensors").tensors().empty());
}

TEST_CASE("safetensors: names twice, names that are no UTF-8 and short values are refused") {
  const ScratchFolder scratch;
  const at::Tensor one = at::empty({1});
  CHECK_THROWS_AS(write_safetensors(scratch / "a", {{"x", {1}, one}, {"x", {1}, one}}),
                  host::Failure);
  CHECK_THROWS_AS(write_safetensors(scratch / "b", {{"\xff", {1}, one}}), host::Failure);
  CHECK_THROWS_AS(write_safetensors(scratch / "c", {{"x", {2}, one}}), host::Failure);
  CHECK_THROWS_AS(write_safetensors(scratch / "d", {{"__metadata__", {1}, one}}, {{"a", "b"}}),
                  host::Failure);
  CHECK(std::filesystem::is_empty(scratch.path()));
}

TEST_CASE("safetensors: hostile headers are refused") {
  const ScratchFolder scratch;
  const std::string deep = std::string(20000, '[');
  struct Row {
    const char* what;
    std::string file;
  };
  const auto one = [](const std::string& entry) { return with_header("{\"x\":" + entry + "}", 8); };
  const Row rows[] = {
      {"empty", ""},
      {"seven bytes", "1234567"},
      {"length beyond the file",
       with_header("{}", 0).replace(0, 8, "\xff\xff\xff\x00\x00\x00\x00\x00", 8)},
      {"length beyond any file", std::string(8, '\xff') + "{}"},
      {"no object", with_header("[]", 0)},
      {"no JSON", with_header("{nonsense", 0)},
      {"deep", with_header("{\"x\":" + deep, 0)},
      {"name twice", with_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                 R"("x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                                 8)},
      {"end beyond the file", one(R"({"dtype":"F32","shape":[4],"data_offsets":[0,16]})")},
      {"end before begin", one(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})")},
      {"negative begin", one(R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})")},
      {"fraction", one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8.0]})")},
      {"three offsets", one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4,8]})")},
      {"shape of other size", one(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})")},
      {"negative shape", one(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})")},
      {"shape that overflows to 2",
       one(R"({"dtype":"F32","shape":[4611686018427387904,4,2],"data_offsets":[0,8]})")},
      {"shape beyond int64",
       one(R"({"dtype":"I8","shape":[18446744073709551615],"data_offsets":[0,8]})")},
      {"unknown type", one(R"({"dtype":"F31","shape":[2],"data_offsets":[0,8]})")},
      {"no type", one(R"({"shape":[2],"data_offsets":[0,8]})")},
      {"no tensor", one("7")},
      {"hole", one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})")},
      {"bytes left over", one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})")},
      {"overlap", with_header(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                              R"("y":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                              8)},
      {"metadata of numbers", with_header(R"({"__metadata__":{"a":1}})", 0)},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    put_content(scratch / "hostile.safetensors", row.file);
    CHECK(failure_of(scratch / "hostile.safetensors") == "K0014");
  }
  put_content(scratch / "good.safetensors",
              one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"));
  CHECK(failure_of(scratch / "good.safetensors") == "none");
  CHECK(failure_of(scratch.path()) == "K0003");  // a folder
  CHECK(failure_of(scratch / "missing") == "K0003");
}

TEST_CASE("safetensors: a file with any damage is refused or stays within its bounds") {
  const ScratchFolder scratch;
  const std::uint64_t seed = test_seed();
  MESSAGE("MORTISE_TEST_SEED=" << seed);
  Random random(seed);
  write_safetensors(scratch / "whole", {{"a", {3, 2}, random_bits(random, 6, at::kFloat)},
                                        {"b", {5}, random_bits(random, 5, at::kLong)}});
  const std::string whole = content_of(scratch / "whole");
  for (int round = 0; round != 500; ++round) {
    CAPTURE(round);
    std::string damaged = whole;
    for (std::int64_t n = pick(random, 1, 3); n != 0; --n)
      damaged[std::size_t(pick(random, 0, std::int64_t(whole.size()) - 1))] = char(random());
    if (round % 5 == 0) damaged.resize(std::size_t(pick(random, 0, std::int64_t(whole.size()))));
    put_content(scratch / "damaged", damaged);
    try {
      const SafetensorsFile file(scratch / "damaged");
      for (const auto& tensor : file.tensors()) CHECK(tensor.end <= damaged.size());
    } catch (const host::Failure& failure) {
      CHECK(failure.id() == "K0014");
    }
  }
}

TEST_CASE("safetensors: Python's safetensors reads what we write, and we what it writes") {
  const char* given = std::getenv("MORTISE_TEST_PYTHON");
  const std::string python = given != nullptr ? given : "python3";
  if (std::system((python + " -c 'import numpy, safetensors.numpy' 2>/dev/null").c_str()) != 0) {
    MESSAGE("skipped: " << python
                        << " has no safetensors and numpy (MORTISE_TEST_PYTHON names another)");
    return;
  }
  const ScratchFolder scratch;
  const at::Tensor values = at::arange(6, at::kFloat), ids = at::arange(5, at::kLong);
  write_safetensors(scratch / "ours",
                    {{"b", {2, 3}, values}, {"a", {5}, ids}, {"none", {0, 2}, at::empty({0})}},
                    {{"format", "pt"}});
  put_content(scratch / "check.py", R"(
import sys, numpy
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
ours = load_file(sys.argv[1])
assert sorted(ours) == ["a", "b", "none"], sorted(ours)
assert (ours["b"] == numpy.arange(6, dtype=numpy.float32).reshape(2, 3)).all()
assert (ours["a"] == numpy.arange(5)).all() and ours["a"].dtype == numpy.int64
assert ours["none"].shape == (0, 2)
assert safe_open(sys.argv[1], "numpy").metadata() == {"format": "pt"}
save_file(ours, sys.argv[2], metadata={"from": "python"})
)");
  const std::string command = python + " " + (scratch / "check.py").string() + " " +
                              (scratch / "ours").string() + " " + (scratch / "theirs").string();
  REQUIRE(std::system(command.c_str()) == 0);
  const SafetensorsFile theirs(scratch / "theirs");
  CHECK(theirs.metadata().at("from") == "python");
  const auto* b = theirs.find("b");
  REQUIRE(b != nullptr);
  CHECK(b->shape == Shape{2, 3});
  CHECK(std::memcmp(theirs.bytes(*b).data(), values.const_data_ptr(), values.nbytes()) == 0);
}

}  // namespace
}  // namespace mortise::tests
