#include "host/config/document/document.hpp"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "host/config/document/builder.hpp"

namespace mortise::host {
namespace {

// The column (from 0) of a tab in the indentation of a line, or -1.
int tab_in_indentation(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || line.find_first_not_of(" \t") < tab) return -1;
  return static_cast<int>(tab);
}

bool at_interpolation(const Source& source, const YAML::Mark& mark) {
  const std::string_view line = source.line(mark.line + 1);
  const auto at = static_cast<std::size_t>(mark.column);
  return at >= 1 && at < line.size() && line[at] == '{' && line[at - 1] == '$';
}

// Says what yaml-cpp's message means for the one who wrote the line.
void report(const Source& source, const YAML::Exception& error, const std::string& path,
            Findings& findings) {
  const YAML::Mark mark = error.mark.is_null() ? YAML::Mark() : error.mark;
  if (at_interpolation(source, mark)) {
    findings.add(finding::quote_it, place_at(source, mark.line, mark.column - 1), path,
                 "YAML cannot read ${…} inside { } or [ ]: quote it, as in \"${…}\"");
    return;
  }
  for (const int line : {mark.line, mark.line - 1}) {
    const int tab = line < 0 ? -1 : tab_in_indentation(source.line(line + 1));
    if (tab < 0) continue;
    findings.add(finding::tab, place_at(source, line, tab), "",
                 "this line is indented with a tab: YAML takes spaces only");
    return;
  }
  findings.add(finding::syntax, place_at(source, mark.line, mark.column), path,
               "not valid YAML: " + error.msg);
}

}  // namespace

std::optional<Node> read_document(const Source& source, Findings& findings) {
  std::istringstream text(source.text());
  TreeBuilder builder(source, findings);
  try {
    YAML::Parser parser(text);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Unreadable&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    report(source, error, builder.path(), findings);
    return std::nullopt;
  }
  Node root = builder.take();
  if (root.place.source == nullptr) root.place = {&source, 1, 1, 1};
  root.named_by = &source;
  return root;
}

}  // namespace mortise::host
