#pragma once

#include <yaml-cpp/eventhandler.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/config/document/node.hpp"
#include "host/config/findings.hpp"

namespace mortise::host {

// Ends reading: the finding is already reported.
struct Unreadable {};

// Builds the located tree from yaml-cpp's events. Reports and goes on where the rest of the file
// can still be judged, throws Unreadable where it cannot.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  Node take() { return std::move(root_); }
  // The key path of the value that is being read, cut where it is long.
  std::string path() const;

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  // A list or mapping that is being filled.
  struct Frame {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  // a key waits for its value
    bool discard = false;  // the waiting value has no place in the tree
    Member pending;
    std::map<std::string, int> lines;  // of the keys so far
    bool flow = false;
  };
  struct Anchored {
    bool open = true;
    Node node;
    std::size_t values = 0;
    std::size_t bytes = 0;
  };

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            bool flow);
  void close();
  void put(Node node, YAML::anchor_t anchor);
  bool takes_key() const;
  void start_member(Node key);
  void refuse_key(const Place& place, const std::string& text);
  void refuse_tag(const Place& place, const std::string& tag);
  void refuse_tab(const Place& place);
  void remember(const Node& node, YAML::anchor_t anchor);
  void spend(std::size_t values, std::size_t bytes, const Place& place);
  Place place(const YAML::Mark& mark) const;
  Place null_place(const YAML::Mark& mark) const;

  const Source& source_;
  Findings& findings_;
  Node root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
  int documents_ = 0;
  mutable int last_line_ = -1;  // where place() counted last
  mutable int last_byte_ = 0;
  mutable int last_column_ = 0;
};

// The place of a byte of a line (both from 0).
Place place_at(const Source& source, int line, int byte_column);

}  // namespace mortise::host
