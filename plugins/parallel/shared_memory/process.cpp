#include "process.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace mortise_shared_memory {

// proc(5): the name, in parentheses, may hold anything; the state is the next word, the start the
// twentieth.
std::uint64_t start_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream words(text.substr(name_end + 1));
  std::string word;
  words >> word;
  if (word == "Z" || word == "X") return 0;
  for (int i = 1; i != 20; ++i) words >> word;
  return std::stoull(word);
}

}  // namespace mortise_shared_memory
