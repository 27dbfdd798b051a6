#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/config/run_file.hpp"
#include "tests/unit/config/fake_catalog.hpp"

namespace mortise::tests {

// A run file without the sections that a test writes itself.
inline const char* const kBasics = R"(mortise: 1
tokenizer: byte
data: {train: {use: text, files: a.txt}}
)";
inline const char* const kRun = "run: {steps: 300}\nbatch: {sequences: 32, sequence_length: 256}\n";
inline const char* const kModel = "model: {use: llama, width: 192, layers: 4, heads: 6}\n";
inline const char* const kOptimizer = "optimizer: {use: adamw, learning_rate: 1e-3}\n";
inline std::string whole_run(const std::string& more = "") {
  return std::string(kBasics) + kRun + kModel + kOptimizer + more;
}

// A temporary folder of files of settings.
class RunFolder {
 public:
  RunFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mortise_config_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~RunFolder() { std::filesystem::remove_all(path_); }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Loads a text as run.yaml; what went wrong, with the folder taken out of the names, is in `error`.
struct Loaded {
  host::RunFile run;
  std::string error;
  std::string id;
  const host::Setting* find(const std::string& path) const { return find_path(run.root, path); }
  // The setting at `path`; a missing one fails the test with the error.
  const host::Setting& at(const std::string& path) const {
    const host::Setting* found = find(path);
    if (found == nullptr) throw std::runtime_error("no setting " + path + "; " + error);
    return *found;
  }
};

inline std::string without(std::string text, const std::string& part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part))
    text.erase(at, part.size());
  return text;
}

inline Loaded load(const RunFolder& folder, const host::LoadRequest& request) {
  Loaded loaded;
  try {
    loaded.run = host::load_run_file(request, FakeCatalog());
  } catch (const host::Failure& failure) {
    loaded.error = without(failure.what(), folder.path().string() + "/");
    loaded.id = failure.id();
    if (failure.exit() != host::Exit::configuration)
      loaded.error = "wrong exit code: " + loaded.error;
  }
  return loaded;
}

inline Loaded load(const std::string& text, const std::vector<std::string>& sets = {},
                   const std::string& defaults = "") {
  const RunFolder folder;
  host::LoadRequest request;
  request.file = folder.write("run.yaml", text);
  request.sets = sets;
  if (!defaults.empty()) request.defaults_file = folder.write("defaults.yaml", defaults);
  return load(folder, request);
}

// An environment variable for the length of a test; null: unset.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (value == nullptr)
      ::unsetenv(name);
    else
      ::setenv(name, value, 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace mortise::tests
