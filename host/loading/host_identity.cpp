#include "host/loading/host_identity.hpp"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "host/loading/elf_file.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

LoadedLibrary describe_library(const fs::path& file) {
  LoadedLibrary library{file.filename().string(), file, {}};
  try {
    const ElfFile elf = read_elf(FileSource(file, UINT64_MAX), Depth::identity);
    if (!elf.soname.empty()) library.name = elf.soname;
    library.versions.insert(elf.version_definitions.begin(), elf.version_definitions.end());
  } catch (const FileFault&) {
    // Replaced on disk since it was loaded: its file name has to do.
  }
  return library;
}

std::vector<LoadedLibrary> loaded_libraries() {
  std::vector<fs::path> files;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        const std::string name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        if (name.starts_with('/')) static_cast<std::vector<fs::path>*>(found)->emplace_back(name);
        return 0;
      },
      &files);
  std::vector<LoadedLibrary> libraries;
  for (const fs::path& file : files) libraries.push_back(describe_library(file));
  return libraries;
}

void add_configured(const std::string& pattern, int depth, std::vector<fs::path>& folders);

// One file of /etc/ld.so.conf's kind: folders, comments and includes.
void add_from_file(const char* file, int depth, std::vector<fs::path>& folders) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word)) continue;
    if (word == "include" && words >> word)
      add_configured(word, depth + 1, folders);
    else if (word.starts_with('/'))
      folders.emplace_back(word);
  }
}

void add_configured(const std::string& pattern, int depth, std::vector<fs::path>& folders) {
  if (depth > 4) return;
  const std::string absolute = pattern.starts_with('/') ? pattern : "/etc/" + pattern;
  glob_t matches{};
  if (::glob(absolute.c_str(), 0, nullptr, &matches) == 0)
    for (std::size_t i = 0; i < matches.gl_pathc; ++i)
      add_from_file(matches.gl_pathv[i], depth, folders);
  ::globfree(&matches);
}

// In the order of the dynamic linker: LD_LIBRARY_PATH, configured folders, built-in ones.
std::vector<fs::path> linker_folders() {
  std::vector<fs::path> folders;
  if (const char* listed = ::secure_getenv("LD_LIBRARY_PATH")) {
    std::istringstream stream(listed);
    for (std::string folder; std::getline(stream, folder, ':');)
      if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  add_configured("/etc/ld.so.conf", 0, folders);
  for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"})
    folders.emplace_back(folder);
#if defined(__x86_64__)
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"})
    folders.emplace_back(folder);
#elif defined(__aarch64__)
  for (const char* folder : {"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"})
    folders.emplace_back(folder);
#endif
  return folders;
}

}  // namespace

const LoadedLibrary* HostIdentity::loaded(const std::string& name) const {
  for (const LoadedLibrary& library : libraries)
    if (library.name == name) return &library;
  for (const LoadedLibrary& library : libraries)
    if (library.file.filename() == name) return &library;
  return nullptr;
}

HostIdentity identity_of_this_process() {
  HostIdentity host;
  host.libraries = loaded_libraries();
  host.system_folders = linker_folders();
  host.resolves = [](const std::string& symbol) {
    return ::dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr;
  };
  return host;
}

}  // namespace mortise::host
