#pragma once

// Plugin files of the tests: those that CMake builds from tests/fixtures/plugins, and copies of
// them with patched bytes.

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "host/loading/gate.hpp"

namespace mortise::tests {

namespace fs = std::filesystem;

inline fs::path fixture(const std::string& name) {
  return fs::path(MORTISE_FIXTURE_PLUGIN_DIR) / "loading" / name;
}

inline std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("no test file " + file.string());
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline fs::path write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

// Every occurrence of `from` replaced by `to`, which is as long.
inline std::string patched(std::string bytes, const std::string& from, const std::string& to) {
  if (from.size() != to.size()) throw std::logic_error("patches keep the length: " + from);
  std::size_t at = bytes.find(from);
  if (at == std::string::npos) throw std::logic_error("nothing to patch: " + from);
  for (; at != std::string::npos; at = bytes.find(from, at + to.size()))
    bytes.replace(at, from.size(), to);
  return bytes;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "mortise_loading_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = fs::canonical(name);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

  // A fixture, copied into this folder.
  fs::path copy(const std::string& name, const std::string& as) const {
    fs::copy_file(fixture(name), path_ / as);
    return path_ / as;
  }

 private:
  fs::path path_;
};

// The host that the fixtures were made for.
inline host::HostIdentity fitting_host() {
  host::HostIdentity host = host::identity_of_this_process();
  host.sdk_major = 0;
  host.sdk_minor = 1;
  host.torch = "2.11.0";
  host.tables = {{"mortise/tokenizer/1", "a1b2c3d4e5f60718"}};
  return host;
}

inline const host::PluginFinding* finding(const host::Judgement& judgement, const std::string& id) {
  const auto found = std::find_if(judgement.findings.begin(), judgement.findings.end(),
                                  [&](const host::PluginFinding& entry) { return entry.id == id; });
  return found == judgement.findings.end() ? nullptr : &*found;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace mortise::tests
