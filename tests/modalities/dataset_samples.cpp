// Prints the samples of a packed file as training reads them, one a line.
//
//   dataset_samples FILE SEQUENCE_LENGTH

#include <cstdlib>
#include <iostream>
#include <mortise/data/dataset.hpp>

#include "tests/unit/loaded_component.hpp"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const mortise::tests::LoadedComponent component(
      "packed_tokens", "packed_tokens",
      {{"files", std::vector<std::string>{arguments[1]}},
       {"sequence_length", std::atoi(arguments[2])}});
  const auto data = component.as<mortise::Dataset>();
  for (std::int64_t i = 0; i != data.size(); ++i) {
    const mortise::Array tokens = data.read(std::vector{i}).at(0).arrays.at(0);
    for (std::int64_t t = 0; t != tokens.count(); ++t)
      std::cout << (t == 0 ? "" : " ") << tokens.as<std::int64_t>()[t];
    std::cout << "\n";
  }
  return 0;
}
