#include "host/config/composition/layers.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "host/config/checking/checker.hpp"
#include "host/config/checking/suggestion.hpp"
#include "host/config/composition/interpolation.hpp"
#include "host/config/composition/merge.hpp"
#include "host/config/composition/overrides.hpp"
#include "host/config/run_file.hpp"
#include "host/config/run_schema.hpp"

namespace mortise::host {
namespace {

namespace fs = std::filesystem;

// Reads files and lays them on each other, lowest first.
class Stack {
 public:
  Stack(const LoadRequest& request, Sources& sources, Findings& findings)
      : request_(request), sources_(sources), findings_(findings) {}

  Composed compose();

 private:
  std::optional<Node> read(Source::Kind kind, const fs::path& file, const std::string& name,
                           const Place& asked);
  void add_file(Source::Kind kind, const fs::path& file, const std::string& name,
                const Place& asked);
  void add_includes(const Node& root);
  void include(const Node& entry);
  fs::path search(const std::string& name, const Source& from) const;
  std::string shown_name(const fs::path& found, const std::string& name, const Source& from) const;
  void read_site();
  void lay(Node root) { merge(out_.root, std::move(root), &out_.defaults); }

  const LoadRequest& request_;
  Sources& sources_;
  Findings& findings_;
  Composed out_;
  std::vector<fs::path> open_;  // files whose includes are being read
  std::vector<std::string> open_names_;
  bool complete_ = true;
};

// `plugins: [folder]` stands for {folders: [folder]}.
void spell_out_plugins(Node& root) {
  Node* plugins = root.find("plugins");
  if (plugins == nullptr || !(plugins->is_list() || plugins->is_scalar())) return;
  Node spelt = make_map(plugins->place);
  spelt.members.push_back({"folders", plugins->place, *plugins});
  *plugins = std::move(spelt);
}

// The run's name where nobody gave one; it belongs to the tree so that ${run.name} finds it.
void name_run(Node& root, const LoadRequest& request) {
  Node* run = root.find("run");
  if (run == nullptr || !run->is_map()) return;
  const Member* given = run->find_member("name");
  if (given != nullptr && !given->value.is_null()) return;
  std::erase_if(run->members, [](const Member& member) { return member.key == "name"; });
  run->members.push_back(
      {"name", {}, make_scalar(fs::path(request.file).stem().string(), {}, true)});
}

fs::path real_path(const fs::path& file) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(file, error);
  return error ? file : real;
}

Composed Stack::compose() {
  if (!request_.defaults_file.empty()) {
    if (auto root =
            read(Source::Kind::defaults, request_.defaults_file, request_.defaults_file, {})) {
      out_.defaults = *root;
      out_.root = std::move(*root);
    }
  }
  read_site();
  add_file(Source::Kind::file, request_.file, request_.file, {});
  if (complete_) apply_overrides(out_.root, request_.sets, out_.defaults, sources_, findings_);
  if (!complete_) findings_.throw_if_any();
  name_run(out_.root, request_);
  return std::move(out_);
}

std::optional<Node> Stack::read(Source::Kind kind, const fs::path& file, const std::string& name,
                                const Place& asked) {
  const Source* source = sources_.read(kind, file, name, asked, findings_);
  std::optional<Node> root = source ? read_document(*source, findings_) : std::nullopt;
  if (kind == Source::Kind::file) out_.file = source;
  if (!root) return complete_ = false, std::nullopt;
  if (root->is_null()) root = make_map(root->place);
  if (!root->is_map()) {
    findings_.add(finding::wrong_type, root->place, "",
                  "a file of settings is a mapping of sections, this is " + describe_node(*root));
    return complete_ = false, std::nullopt;
  }
  spell_out_plugins(*root);
  return root;
}

void Stack::add_file(Source::Kind kind, const fs::path& file, const std::string& name,
                     const Place& asked) {
  auto root = read(kind, file, name, asked);
  if (!root) return;
  open_.push_back(real_path(file));
  open_names_.push_back(name);
  add_includes(*root);
  open_.pop_back();
  open_names_.pop_back();
  std::erase_if(root->members, [](const Member& member) { return member.key == "include"; });
  lay(std::move(*root));
}

void Stack::add_includes(const Node& root) {
  const Node* asked = root.find("include");
  if (asked == nullptr || asked->is_null()) return;
  Node list = *asked;
  interpolate(list, root, "include", findings_);
  if (list.faulty) return;
  if (list.is_scalar()) return include(list);
  if (!list.is_list()) {
    findings_.add(finding::wrong_type, list.place, "include",
                  "expected a list of files, got " + describe_node(list));
    return;
  }
  for (const Node& entry : list.items) include(entry);
}

void Stack::include(const Node& entry) {
  if (entry.faulty) return;
  if (!entry.is_scalar() || entry.text.empty()) {
    findings_.add(finding::wrong_type, entry.place, "include",
                  "expected the name of a file, got " + describe_node(entry));
    return;
  }
  const fs::path found = search(entry.text, *entry.named_by);
  if (found.empty()) {
    findings_.add(
        finding::include_missing, entry.place, "include",
        shown(entry) +
            " is neither beside this file nor in MORTISE_CONFIG_PATH nor in the installation");
    return;
  }
  const auto cycle = std::find(open_.begin(), open_.end(), real_path(found));
  if (cycle != open_.end()) {
    findings_.add(finding::include_cycle, entry.place, "include",
                  "cycle: " + open_names_[static_cast<std::size_t>(cycle - open_.begin())] +
                      " leads back to itself");
    return;
  }
  if (sources_.size() >= kMaxFiles) {
    findings_.add(finding::too_large, entry.place, "include",
                  "more than " + std::to_string(kMaxFiles) + " files");
    return;
  }
  add_file(Source::Kind::include, found, shown_name(found, entry.text, *entry.named_by),
           entry.place);
}

fs::path Stack::search(const std::string& name, const Source& from) const {
  std::vector<fs::path> folders{from.folder()};
  const char* variable = std::getenv("MORTISE_CONFIG_PATH");
  std::string rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::string folder = rest.substr(0, rest.find(':'));
    rest.erase(0, folder.size() + 1);
    if (!folder.empty()) folders.emplace_back(folder);
  }
  folders.insert(folders.end(), request_.include_folders.begin(), request_.include_folders.end());
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) return folder / name;
  }
  return {};
}

// As the user could type it: beside the file that names it, else where it was found.
std::string Stack::shown_name(const fs::path& found, const std::string& name,
                              const Source& from) const {
  if (found != from.folder() / name || fs::path(name).is_absolute())
    return found.lexically_normal().string();
  return (fs::path(from.name()).parent_path() / name).lexically_normal().string();
}

void Stack::read_site() {
  out_.site = make_map({});
  if (request_.site_file.empty()) return;
  auto root = read(Source::Kind::site, request_.site_file, request_.site_file, {});
  if (root) out_.site = std::move(*root);
}

}  // namespace

Composed compose(const LoadRequest& request, Sources& sources, Findings& findings) {
  return Stack(request, sources, findings).compose();
}

}  // namespace mortise::host
