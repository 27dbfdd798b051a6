// Opens a packed file of 100 billion tokens, none of which is on the disk, and draws the first
// batch in a shuffled order, as a run does. Prints the milliseconds of each of five repeats.
//
//   open_bench FOLDER    where a sparse file of 200 GB may lie for a moment

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mortise/data/dataset.hpp>
#include <mortise/data/sample_order.hpp>

#include "tests/unit/loaded_component.hpp"

namespace {

using namespace mortise::tests;

constexpr std::uint64_t kTokens = 100'000'000'000;
constexpr int kSequenceLength = 4096, kSequences = 64;

void write_sparse(const std::string& path) {
  const std::uint64_t bytes = 2 * kTokens;
  const std::uint32_t width = 2;
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  file.write(reinterpret_cast<const char*>(&width), sizeof width);
  file.seekp(std::streamoff(12 + bytes));
  // pickle.dumps([(0, 200000000000)])
  file.write("\x80\x04]\x94K\0\x8a\x05\0\xd0\xed\x90\x2e\x86\x94\x61.", 17);
}

double first_batch_ms(const std::string& path) {
  const auto begin = std::chrono::steady_clock::now();
  const LoadedComponent data("packed_tokens", "packed_tokens",
                             {{"files", std::vector{path}}, {"sequence_length", kSequenceLength}});
  const LoadedComponent order("keyed_permutation", "keyed_permutation");
  const auto dataset = data.as<mortise::Dataset>();
  const auto indices = order.as<mortise::SampleOrder>().indices(
      {.first = 0, .count = kSequences, .samples = dataset.size()});
  if (dataset.read(indices).size() != kSequences) return -1;
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  return passed.count();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::string path = std::string(arguments[1]) + "/open_bench.pbin";
  write_sparse(path);
  for (int repeat = 0; repeat != 5; ++repeat) std::printf("%.2f ms\n", first_batch_ms(path));
  std::filesystem::remove(path);
  return 0;
}
