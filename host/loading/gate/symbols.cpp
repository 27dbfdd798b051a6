// P1015 and P1016: what the plugin shows to others and what it expects of them.

#include <algorithm>
#include <unordered_set>

#include "host/loading/gate/checks.hpp"
#include "host/loading/gate/demangle.hpp"

namespace mortise::host {
namespace {

constexpr const char* kEntry = "mortise_plugin";
constexpr std::size_t kMostNamed = 5;

std::string shortened(const std::string& name) {
  constexpr std::size_t longest = 300;
  return name.size() > longest ? name.substr(0, longest) + "..." : name;
}

// "`a`, `b` and 3 more"
std::string list_of(const std::vector<std::string>& symbols) {
  std::string text;
  for (std::size_t i = 0; i < std::min(symbols.size(), kMostNamed); ++i)
    text += (i > 0 ? ", `" : "`") + shortened(demangled(symbols[i])) + "`";
  if (symbols.size() > kMostNamed)
    text += " and " + std::to_string(symbols.size() - kMostNamed) + " more";
  return text;
}

void check_entry(const Examined& examined) {
  const auto& exports = examined.elf.exports;
  const auto entry = std::find_if(exports.begin(), exports.end(),
                                  [](const ElfSymbol& s) { return s.name == kEntry; });
  if (entry != exports.end() && entry->is_function) return;
  const bool present = entry != exports.end();
  examined.findings.push_back({"P1015",
                               present ? "its entry point `mortise_plugin` is no function"
                                       : "has no entry point: `mortise_plugin` is not exported",
                               "the exported function `mortise_plugin`",
                               present ? "a symbol of another kind"
                               : exports.empty()
                                   ? "no exported symbol"
                                   : "`" + shortened(demangled(exports.front().name)) + "`",
                               "end the source with MORTISE_PLUGIN(...), which defines it"});
}

void check_extra_exports(const Examined& examined) {
  std::vector<std::string> extra;
  for (const ElfSymbol& symbol : examined.elf.exports)
    if (symbol.name != kEntry) extra.push_back(symbol.name);
  if (extra.empty()) return;
  const std::string count =
      std::to_string(extra.size()) + (extra.size() == 1 ? " symbol" : " symbols");
  examined.findings.push_back(
      {"P1015", "exports " + count + " besides its entry point, first: " + list_of({extra.front()}),
       "only `mortise_plugin`", list_of(extra),
       "build with mortise_add_plugin(), or link with the version script "
       "{ global: mortise_plugin; local: *; };"});
}

void add_exports(const std::filesystem::path& file, std::unordered_set<std::string>& names) {
  try {
    for (ElfSymbol& symbol : read_elf(FileSource(file, UINT64_MAX), Depth::symbols).exports)
      names.insert(std::move(symbol.name));
  } catch (const FileFault&) {
    // Told by P1014 where it matters.
  }
}

// Takes away what these libraries define.
void resolve(std::vector<std::string>& names, const std::vector<std::filesystem::path>& libraries) {
  if (names.empty()) return;
  std::unordered_set<std::string> known;
  for (const std::filesystem::path& file : libraries) add_exports(file, known);
  std::erase_if(names, [&](const std::string& name) { return known.count(name) > 0; });
}

std::vector<std::string> unresolved(const Examined& examined) {
  std::vector<std::string> names;
  for (const ElfSymbol& symbol : examined.elf.undefined)
    if (!examined.host.resolves(symbol.name)) names.push_back(symbol.name);
  // Libraries that the plugin names but that the whole process does not see. Those that it brings
  // come first: large ones that are loaded already are seldom asked.
  std::vector<std::filesystem::path> brought;
  for (const BroughtLibrary& library : examined.libraries.brought) brought.push_back(library.file);
  resolve(names, brought);
  resolve(names, examined.libraries.loaded);
  return names;
}

// The old ABI writes std::string as such, the new one as std::__cxx11::basic_string.
bool speaks_old_abi(const std::string& symbol) {
  const std::string name = demangled(symbol);
  return name.find("std::string") != std::string::npos ||
         name.find("std::list<") != std::string::npos;
}

bool is_torch_symbol(const std::string& symbol) {
  const std::string name = demangled(symbol);
  for (const char* space : {"c10::", "at::", "torch::", "caffe2::"})
    if (name.starts_with(space)) return true;
  return false;
}

std::string advice_for(const std::vector<std::string>& missing, const Examined& examined) {
  if (std::any_of(missing.begin(), missing.end(), speaks_old_abi))
    return "the cause is _GLIBCXX_USE_CXX11_ABI=0: rebuild with the new C++ ABI of strings, the "
           "one of the host's LibTorch";
  if (!examined.libraries.missing.empty())
    return "bring the library that was not found first (P1014): it may define them";
  if (std::any_of(missing.begin(), missing.end(), is_torch_symbol))
    return "rebuild against LibTorch " +
           (examined.host.torch.empty() ? "of the host" : examined.host.torch) +
           ", the one of this host";
  return "link the library that defines it; -Wl,-z,defs, as in mortise_add_plugin(), shows it "
         "while building";
}

}  // namespace

void check_exports(const Examined& examined) {
  check_entry(examined);
  check_extra_exports(examined);
}

void check_undefined(const Examined& examined) {
  const std::vector<std::string> missing = unresolved(examined);
  if (missing.empty()) return;
  examined.findings.push_back(
      {"P1016", "missing " + list_of(missing),
       "every symbol defined by the host's libraries or by one that the plugin brings",
       std::to_string(missing.size()) + " that nobody defines", advice_for(missing, examined)});
}

}  // namespace mortise::host
