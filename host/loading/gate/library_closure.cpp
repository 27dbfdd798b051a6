#include "host/loading/gate/library_closure.hpp"

#include <deque>
#include <optional>
#include <set>

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLibraries = 256;

// Who needs something: the plugin or a library that it brings.
struct Needer {
  std::string name;  // "" for the plugin
  fs::path folder;
  const ElfFile* elf;
};

bool is_cuda_library(const std::string& name) {
  for (const char* prefix : {"libtorch_cuda", "libc10_cuda", "libcudart.so"})
    if (name.starts_with(prefix)) return true;
  return false;
}

class Search {
 public:
  explicit Search(const HostIdentity& host) : host_(host) {}

  LibraryClosure run(const fs::path& plugin, const ElfFile& elf) {
    add_needs({"", plugin.parent_path(), &elf});
    while (!waiting_.empty() && seen_.size() < kMostLibraries) {
      const Wanted wanted = waiting_.front();
      waiting_.pop_front();
      look_for(wanted);
    }
    for (BroughtLibrary& library : kept_) closure_.brought.push_back(std::move(library));
    return std::move(closure_);
  }

 private:
  struct Wanted {
    std::string name;
    Needer by;
  };

  // Breadth first, like the dynamic linker: a name that was met once is not looked for again.
  void add_needs(const Needer& needer) {
    for (const std::string& name : needer.elf->needed)
      if (seen_.insert(name).second) waiting_.push_back({name, needer});
  }

  void look_for(const Wanted& wanted) {
    if (const LoadedLibrary* library = host_.loaded(wanted.name)) {
      closure_.loaded.push_back(library->file);
      return;
    }
    std::string remark;
    for (const fs::path& folder : folders_for(wanted)) {
      const fs::path file = folder / wanted.name;
      std::error_code ignored;
      if (!fs::exists(file, ignored)) continue;
      if (keep(wanted, file, remark)) return;
    }
    closure_.missing.push_back({wanted.name, wanted.by.name, remark});
  }

  // The dynamic linker passes over files of another class or machine and looks further.
  bool keep(const Wanted& wanted, const fs::path& file, std::string& remark) {
    try {
      ElfFile elf = read_elf(FileSource(file, UINT64_MAX), Depth::identity);
      kept_.push_back({wanted.name, file, wanted.by.name, std::move(elf)});
    } catch (const FileFault& fault) {
      remark = "found " + file.string() + ", but it " + fault.what();
      return false;
    }
    if (!is_cuda_library(wanted.name))
      add_needs({wanted.name, file.parent_path(), &kept_.back().elf});
    return true;
  }

  std::vector<fs::path> folders_for(const Wanted& wanted) const {
    std::vector<fs::path> folders;
    if (wanted.name.find('/') != std::string::npos) return folders;
    if (host_.device_cuda && is_cuda_library(wanted.name))
      for (const LoadedLibrary& library : host_.libraries)
        if (library.name == "libc10.so" || library.name.starts_with("libcudart"))
          folders.push_back(library.file.parent_path());
    for (const std::string& entry : wanted.by.elf->runpath)
      if (!entry.empty()) folders.push_back(expand_origin(entry, wanted.by.folder));
    folders.insert(folders.end(), host_.system_folders.begin(), host_.system_folders.end());
    return folders;
  }

  const HostIdentity& host_;
  std::deque<BroughtLibrary> kept_;  // a deque: needers point into it
  std::deque<Wanted> waiting_;
  std::set<std::string> seen_;
  LibraryClosure closure_;
};

}  // namespace

LibraryClosure find_libraries(const fs::path& plugin, const ElfFile& elf,
                              const HostIdentity& host) {
  return Search(host).run(plugin, elf);
}

fs::path expand_origin(const std::string& entry, const fs::path& folder) {
  for (const std::string name : {"$ORIGIN", "${ORIGIN}"})
    if (entry.starts_with(name)) return fs::path(folder.string() + entry.substr(name.size()));
  return entry;
}

bool begins_with_origin(const std::string& entry) {
  for (const std::string name : {"$ORIGIN", "${ORIGIN}"})
    if (entry == name || entry.starts_with(name + "/")) return true;
  return false;
}

}  // namespace mortise::host
